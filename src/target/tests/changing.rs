//! Settings by request and command, readiness, and the host guard.

use super::*;

#[tokio::test]
async fn a_setting_is_posted_with_its_own_type() {
    let (url, asked) = serve(&[]).await;
    let pool = setting("pool", post("/admin/pool"));
    let mut target = target(&plan(&url), std::slice::from_ref(&pool));
    assert_eq!(target.apply(&[(&pool, 50.0)]).await, Ok(vec!["POST /admin/pool".to_owned()]));
    assert_eq!(requests(&asked), [r#"POST /admin/pool application/json - {"max":50}"#]);
}

#[tokio::test]
async fn paths_headers_and_text_bodies_are_filled_with_all_settings() {
    let (url, asked) = serve(&[]).await;
    let headers = BTreeMap::from([("X-Key".to_owned(), Template::parse("k{pool}")), ("Content-Type".to_owned(), Template::parse("text/x-own"))]);
    let body = Some(Body::Text(Template::parse("threads={threads}")));
    let path = Template::parse("/set/{pool}?token=geheim");
    let threads = setting("threads", Apply::Http { method: "PUT".into(), path, headers, body });
    let pool = setting("pool", Apply::Load);
    let mut target = target(&plan(&format!("{url}/")), &[threads.clone(), pool]);
    let how = target.apply(&[(&threads, 64.0)]).await.unwrap();
    assert_eq!(how, ["PUT /set/10"], "the pool is at what will be put back");
    assert_eq!(requests(&asked), ["PUT /set/10?token=geheim text/x-own k10 threads=64"]);
}

#[tokio::test]
async fn an_address_inside_a_query_is_not_where_it_goes() {
    let (url, asked) = serve(&[]).await;
    let pool = setting("pool", post("/admin?next=http://stranger.example/"));
    let mut target = target(&plan(&url), std::slice::from_ref(&pool));
    assert_eq!(target.apply(&[(&pool, 5.0)]).await, Ok(vec!["POST /admin".to_owned()]));
    assert!(requests(&asked)[0].starts_with("POST /admin?next=http://stranger.example/ "));
    assert!(target.by_hand(&pool, 5.0).ends_with(&format!("'{url}/admin?next=http://stranger.example/'")));
}

#[tokio::test]
async fn every_instance_is_changed() {
    let ((one, asked_one), (two, asked_two)) = (serve(&[]).await, serve(&[]).await);
    let pool = setting("pool", post("admin/pool"));
    let fleet = TargetPlan { instances: vec![one, two], ..plan("http://127.0.0.1:1") };
    let mut target = target(&fleet, std::slice::from_ref(&pool));
    target.apply(&[(&pool, 5.0)]).await.unwrap();
    assert_eq!(requests(&asked_one), requests(&asked_two));
    assert_eq!(requests(&asked_one).len(), 1);
}

#[tokio::test]
async fn a_refusal_says_what_was_asked_and_what_came_back() {
    let (url, _) = serve(&[(404, ""), (400, "max must be\n1 to 500"), (302, "")]).await;
    let pool = setting("pool", post("/admin/pool"));
    let mut target = target(&plan(&url), std::slice::from_ref(&pool));
    let mut refusal = async || target.apply(&[(&pool, 900.0)]).await.unwrap_err().to_string();
    assert_eq!(refusal().await, format!("setting pool to 900: POST {url}/admin/pool: refused (404 Not Found; is the path right?)"));
    assert!(refusal().await.ends_with("refused (400 Bad Request: \"max must be 1 to 500\")"));
    assert!(refusal().await.contains("302 Found; redirects are not followed"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let (url, asked) = serve(&[(307, "")]).await;
    let pool = setting("pool", post("/admin/pool"));
    target(&plan(&url), std::slice::from_ref(&pool)).apply(&[(&pool, 5.0)]).await.unwrap_err();
    assert_eq!(requests(&asked).len(), 1);
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let pool = setting("pool", post("/admin/pool"));
    let mut target = target(&plan(&nobody().await), std::slice::from_ref(&pool));
    let error = target.apply(&[(&pool, 5.0)]).await.unwrap_err();
    let TargetError::Unreachable { why, .. } = &error else { panic!("{error}") };
    assert!(why.contains("Connection refused"), "{why}");
}

#[tokio::test]
async fn a_host_that_is_not_allowed_is_never_asked() {
    let not_allowed = |error: TargetError| matches!(error, TargetError::HostNotAllowed { .. });
    let strange = ServiceTarget::new(&plan("http://stranger.example"), &[], impatient(), None);
    assert!(not_allowed(strange.unwrap_err()));
    let pool = setting("pool", post("http://stranger.example/admin"));
    let mut target = target(&plan("http://127.0.0.1:1"), std::slice::from_ref(&pool));
    assert!(not_allowed(target.apply(&[(&pool, 5.0)]).await.unwrap_err()));
    // A value must not be able to lead elsewhere either.
    let pool = setting("pool", post("@stranger.example/"));
    assert!(!not_allowed(target.apply(&[(&pool, 5.0)]).await.unwrap_err()));
}

#[tokio::test]
async fn readiness_is_waited_for() {
    let (url, asked) = serve(&[(503, "starting"), (200, "")]).await;
    let plan = TargetPlan { ready: Some(ready(200)), ..plan(&url) };
    assert_eq!(target(&plan, &[]).ready().await, Ok(()));
    assert_eq!(requests(&asked).len(), 2);
    assert!(requests(&asked)[0].starts_with("GET /health "));
}

#[tokio::test]
async fn a_service_that_is_never_ready_says_its_last_answer() {
    let (url, _) = serve(&[(503, "database down"); 99]).await;
    let plan = TargetPlan { ready: Some(ready(200)), ..plan(&url) };
    let error = target(&plan, &[]).ready().await.unwrap_err().to_string();
    assert!(error.starts_with(&format!("waiting for 200 from GET {url}/health: not ready within 300ms")), "{error}");
    assert!(error.contains("503 Service Unavailable: \"database down\""), "{error}");
}

#[tokio::test]
async fn without_a_rule_a_connection_is_enough() {
    let (url, asked) = serve(&[]).await;
    assert_eq!(target(&plan(&url), &[]).ready().await, Ok(()));
    assert_eq!(requests(&asked), [""; 0]);
    let error = target(&plan(&nobody().await), &[]).ready().await.unwrap_err();
    assert!(matches!(&error, TargetError::NotReady { last, .. } if last.contains("Connection refused")), "{error}");
}

#[tokio::test]
async fn a_command_gets_the_value_as_one_word() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pool-50");
    let words = vec![Template::parse("touch"), Template::parse(&format!("{}/pool-{{pool}}", folder.path().display()))];
    let pool = setting("pool", Apply::Command(words));
    let mut target = target(&plan("http://127.0.0.1:1"), std::slice::from_ref(&pool));
    assert_eq!(target.apply(&[(&pool, 50.0)]).await, Ok(vec!["touch".to_owned()]));
    assert!(file.exists());
    assert_eq!(target.by_hand(&pool, 10.0), format!("touch {}/pool-10", folder.path().display()));
}

#[tokio::test]
async fn what_a_person_would_do_is_told_without_secrets() {
    let Apply::Http { method, path, body, .. } = post("/admin/pool") else { panic!() };
    let headers = BTreeMap::from([("Authorization".to_owned(), Template::parse("Bearer geheim"))]);
    let pool = setting("pool", Apply::Http { method, path, headers, body });
    let target = target(&plan("http://me:geheim@127.0.0.1:8080"), std::slice::from_ref(&pool));
    assert_eq!(
        target.by_hand(&pool, 10.0),
        "curl -X POST -H 'Authorization: …' -H 'Content-Type: application/json' -d '{\"max\":10}' \
         http://127.0.0.1:8080/admin/pool"
    );
    assert_eq!(target.by_hand(&setting("heap", Apply::Restart), 2.0), "restart the service with heap = 2");
}

#[tokio::test]
async fn the_load_is_not_the_targets_business() {
    let users = setting("load.users", Apply::Load);
    let mut target = target(&plan("http://127.0.0.1:1"), std::slice::from_ref(&users));
    assert_eq!(target.apply(&[(&users, 5.0)]).await, Ok(vec!["the load itself".to_owned()]));
}

#[tokio::test]
async fn a_restart_without_a_process_is_refused() {
    let heap = setting("heap", Apply::Restart);
    let mut target = target(&plan("http://127.0.0.1:1"), std::slice::from_ref(&heap));
    let error = target.apply(&[(&heap, 5.0)]).await.unwrap_err().to_string();
    assert!(error.contains("setting heap to 5") && error.contains("[target.process]"), "{error}");
}
