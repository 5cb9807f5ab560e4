-- outside a transaction
-- Requests of a refund: each new one asks whether another one of the same refund is open.
create index concurrently if not exists payout_requests_refund on payout_requests (merchant_id, refund_of) where refund_of is not null;
