-- outside a transaction
-- Endpoints that are not removed: each notification asks whether its merchant has any.
create index concurrently if not exists webhook_endpoints_in_use on webhook_endpoints (merchant_id, created_at) where removed_at is null;
-- Removed endpoints, whose rows are deleted after 90 days.
create index concurrently if not exists webhook_endpoints_removed on webhook_endpoints (removed_at) where removed_at is not null;
