const AT = "'2025-03-10T12:00:00.123Z'";

/**
 * Rows as an instance of that time had them, by the migration that their tables exist from on. They are inserted right after it, so
 * that every later migration meets them.
 */
export const ROWS_SINCE: Readonly<Record<string, readonly string[]>> = {
  '0000_init': [
    `insert into accounts values ('acc_1', 'First', 'BASIC', 100, 30, 'whsec_c2VjcmV0', ${AT})`,
    `insert into api_keys values ('key_1', 'acc_1', 'First key', 'bk_12345', 'hash of a key', ${AT}, ${AT}),
      ('key_2', 'acc_1', 'Commands on this machine', 'bk_23456', 'hash of another key', ${AT}, ${AT})`,
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
    `insert into credit_totals values ('acc_1', '2025-03', 100, 0, 4, 0)`,
    `insert into instance_secrets values ('url-signing', 'a plain secret', ${AT})`,
    `insert into idempotency_keys values ('acc_1', 'once', 'createUpload', 'fingerprint', 'upl_1', ${AT})`,
    `insert into staged_files values ('upl_1', 'acc_1/upl_1/original', ${AT})`,
    `insert into webhook_events values ('evt_1', 'acc_1', 'upload.status_update', '{"id": "upl_1"}', ${AT})`,
    `insert into webhook_endpoints values ('whk_1', 'acc_1', 'https://example.com', '["upload.deleted"]', 'whsec_1', null, null, ${AT}, null)`,
    `insert into deliveries values ('dlv_1', 'acc_1', 'whk_1', 'https://example.com', 'evt_1', 'DELIVERED', 1, null, ${AT})`,
    `insert into delivery_attempts values ('dlv_1', 1, ${AT}, 200, 12, 'ok', null, 'delivered')`,
  ],
  '0003_hosted': [
    `insert into remote_events values ('r1', 'upload.deleted', 'remote', 'remote upload', '{}', ${AT})`,
    `insert into remote_ids values ('upload', 'remote', 'upl_1', 'acc_1', null, ${AT}, null)`,
    `insert into remote_places values ('enh_2', 'acc_1', 1, null, ${AT})`,
    `insert into remote_retentions values ('upl_1', 1, 30, ${AT})`,
    `insert into remote_settings values ('retention', '30', ${AT})`,
  ],
  '0005_sessions': [
    `insert into sessions values ('hash of a session', 'key_1', ${AT}, ${AT})`,
    `insert into sign_in_links values ('hash of a link', 'acc_1', ${AT})`,
  ],
  '0008_upload_starts': [
    `insert into leases values ('reconcile', 'holder', ${AT})`,
    `insert into upload_starts values ('upl_1', 'acc_1', '{"plan": "BASIC"}', false, ${AT})`,
  ],
  '0010_audit_log': [
    `insert into audit_entries (account_id, at, actor, action, details) values ('acc_1', ${AT}, 'operator', 'plan.change', '{"plan": "BASIC"}')`,
  ],
  '0011_accounts': [
    `insert into plans values ('OWN', 'Our own', 450, 50, 600, 20, 3)`,
    `insert into account_receipts values ('acc_1', '{"uploads": 1}')`,
    `insert into operator_sessions values ('hash of a session', 'hash of a key', ${AT}, ${AT})`,
  ],
};
