-- outside a transaction
-- Links of a merchant that are not stopped: they are counted before another one is made.
create index concurrently if not exists payment_links_active on payment_links (merchant_id) where stopped_at is null;
