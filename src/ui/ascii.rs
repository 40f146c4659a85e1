//! The `--ascii` look: after a frame is drawn, every symbol of ours that is not plain ASCII is replaced by one that is, cell by cell,
//! so that no view needs a second way of drawing. Letters of other scripts are people's own text and stay.

use ratatui::buffer::Buffer;

/// Replaces all drawing symbols.
pub(super) fn degrade(buf: &mut Buffer) {
    for cell in &mut buf.content {
        if let Some(plain) = cell.symbol().chars().next().and_then(plain) {
            let mut text = [0; 4];
            cell.set_symbol(plain.encode_utf8(&mut text));
        }
    }
}

/// The ASCII stand-in of a drawing symbol; none for letters and what is ASCII already.
const fn plain(c: char) -> Option<char> {
    Some(match c {
        '─' | '┄' | '━' | '╌' | '╍' | '—' | '–' | '╴' | '╶' => '-',
        '│' | '┃' | '┆' | '╎' | '▏' | '▕' | '╵' | '╷' | '┊' | '‖' => '|',
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╭' | '╮' | '╯' | '╰' | '┝' | '┥' | '┿' | '╞' | '╡' | '┷' | '┯' | '┏' | '┓' | '┗'
        | '┛' | '✓' => '+',
        '█' | '▉' | '▊' | '▋' | '▓' | '▅' | '▆' | '▇' => '#',
        '▌' | '▍' | '▎' | '▒' | '▃' | '▄' => '=',
        '░' => ':',
        '▁' | '▂' => '_',
        '▶' | '→' | '›' | '⇥' | '≥' => '>',
        '◀' | '←' | '‹' | '≤' => '<',
        '↑' | '▲' => '^',
        '↓' => 'v',
        '◇' | '○' => 'o',
        '✗' | '×' | '╳' => 'x',
        '⤼' | '╱' | '╲' => '/',
        '·' | '•' => '.',
        '…' | '±' | '≈' => '~',
        '⚠' => '!',
        'µ' => 'u',
        '●' | '◆' | '⊖' | '\u{2800}'..='\u{28ff}' => '*',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn drawing_goes_and_scripts_stay() {
        let mut buf = Buffer::empty(Rect::new(0, 0, 12, 1));
        buf.set_string(0, 0, "┌─▶ 결제 ✓", Style::new());
        degrade(&mut buf);
        let text: String = buf.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(text.starts_with("+-> 결"), "{text}");
        assert!(text.contains('제') && text.contains('+'), "{text}");
    }
}
