//! What is handed over: headless lines, Markdown, JSON and CSV, all from the same model.
