const AT = "'2025-03-10T12:00:00.123Z'";

/** Rows of an instance, by the migration that their tables exist from on. Every later migration meets them. */
export const ROWS_SINCE: Readonly<Record<string, readonly string[]>> = {
  '0000_init': [
    `insert into accounts (id, name, plan, credits_per_period, retention_days, webhook_secret, created_at) values ('acc_1', 'First', 'BASIC', 100, 30, 'whsec_c2VjcmV0', ${AT})`,
    `insert into api_keys (id, account_id, name, prefix, hash, created_at, last_used_at, internal, scopes) values
        ('key_1', 'acc_1', 'First key', 'bk_12345', 'hash of a key', ${AT}, ${AT}, false, '["read", "uploads"]'),
        ('key_2', 'acc_1', 'Commands on this machine', 'bk_23456', 'hash of another key', ${AT}, ${AT}, true, '["read"]')`,
    `insert into uploads (id, account_id, revision, status, original_filename, object_key, file, width, height, provider, retention_days, created_at)
        values ('upl_1', 'acc_1', 7, 'UPLOAD_FINISHED', 'photo "ü" 日本.jpg', 'acc_1/upl_1/original',
          '{"size": 30000, "sha256": "ab", "mimetype": "image/jpeg"}', 640, 480, 'local', 30, ${AT})`,
    `insert into changes (upload_id, seq, account_id, subject, subject_id, revision, snapshot)
        values ('upl_1', 1, 'acc_1', 'upload', 'upl_1', 7, '{"status": "UPLOAD_FINISHED"}')`,
    `insert into enhancements (id, upload_id, account_id, revision, status, parameters, provider, credit_wait_ms, charged_credits, created_at)
        values ('enh_1', 'upl_1', 'acc_1', 5, 'FINISHED', '{"mode": "ENHANCE"}', 'local', 0, 4, ${AT}),
          ('enh_2', 'upl_1', 'acc_1', 1, 'AWAITING_CREDITS', '{}', 'local', 86400000, null, ${AT})`,
    `insert into credit_entries (account_id, period, kind, credits, enhancement_id, at)
        values ('acc_1', '2025-03', 'grant', 100, null, ${AT}), ('acc_1', '2025-03', 'reserve', 4, 'enh_1', ${AT}),
          ('acc_1', '2025-03', 'capture', 4, 'enh_1', ${AT})`,
    `insert into instance_secrets (name, secret, created_at) values ('url-signing', 'a plain secret', ${AT})`,
    `insert into idempotency_keys (account_id, key, operation, fingerprint, subject_id, expires_at) values ('acc_1', 'once', 'createUpload', 'fingerprint', 'upl_1', ${AT})`,
    `insert into staged_files (upload_id, object_key, created_at) values ('upl_1', 'acc_1/upl_1/original', ${AT})`,
    `insert into webhook_events (id, account_id, event, data, created) values ('evt_1', 'acc_1', 'upload.status_update', '{"id": "upl_1"}', ${AT})`,
    `insert into webhook_endpoints (id, account_id, url, events, secret, previous_secret, previous_secret_until, created_at, disabled_at, format) values ('whk_1', 'acc_1', 'https://example.com', '["upload.deleted"]', 'whsec_1', null, null, ${AT}, null, 'BURNISH')`,
    `insert into deliveries (id, account_id, endpoint_id, url, event_id, status, attempts, next_attempt_at, created_at) values ('dlv_1', 'acc_1', 'whk_1', 'https://example.com', 'evt_1', 'DELIVERED', 1, null, ${AT})`,
    `insert into delivery_attempts (delivery_id, number, at, http_status, latency_ms, answer, retry_after_ms, outcome) values ('dlv_1', 1, ${AT}, 200, 12, 'ok', null, 'delivered')`,
    `insert into remote_events (id, event, remote_id, remote_upload_id, body, received_at) values ('r1', 'upload.deleted', 'remote', 'remote upload', '{}', ${AT})`,
    `insert into remote_ids (kind, remote_id, subject_id, account_id, via, created_at, placed_at) values ('upload', 'remote', 'upl_1', 'acc_1', null, ${AT}, null)`,
    `insert into destination_urls (enhancement_id, secret, created_at) values ('enh_2', 'a sealed secret', ${AT})`,
    `insert into remote_slots (enhancement_id, account_id, seq, granted_at, renewed_at) values ('enh_2', 'acc_1', 1, null, ${AT})`,
    `insert into remote_retentions (holder, seq, days, expires_at) values ('upl_1', 1, 30, ${AT})`,
    `insert into remote_settings (name, value, set_at) values ('retention', '30', ${AT})`,
    `insert into sessions (hash, key_id, created_at, last_seen_at) values ('hash of a session', 'key_1', ${AT}, ${AT})`,
    `insert into sign_in_links (hash, account_id, expires_at) values ('hash of a link', 'acc_1', ${AT})`,
    `insert into leases (name, holder, expires_at) values ('reconcile', 'holder', ${AT})`,
    `insert into upload_starts (upload_id, account_id, input, refused, created_at) values ('upl_1', 'acc_1', '{"plan": "BASIC"}', false, ${AT})`,
    `insert into audit_entries (account_id, at, actor, action, details) values ('acc_1', ${AT}, 'operator', 'plan.change', '{"plan": "BASIC"}')`,
    `insert into plans (id, name, max_resolution, credits_per_period, requests_per_minute, jobs_at_once, fairness_weight, max_stored_bytes) values ('OWN', 'Our own', 450, 50, 600, 20, 3, 1000)`,
    `insert into account_receipts (account_id, receipt) values ('acc_1', '{"uploads": 1}')`,
    `insert into operator_sessions (hash, key_hash, created_at, last_seen_at) values ('hash of a session', 'hash of a key', ${AT}, ${AT})`,
  ],
};
