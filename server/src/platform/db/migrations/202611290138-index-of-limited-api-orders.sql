-- outside a transaction
create index concurrently if not exists payout_policies_api on payout_policies (merchant_id, version) where rules ->> 'isApiLimited' = 'true';
