-- outside a transaction
-- A receiver asks whether an alert's cause has ended a short time ago.
create index concurrently if not exists alerts_of_a_kind on alerts (kind, resolved_at);
