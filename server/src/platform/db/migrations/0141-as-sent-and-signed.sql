-- A destination is told as its merchant wrote it; null where that is how it is stored anyway.
alter table withdrawals add column to_as_sent text;
-- Which of the merchant's API keys signed the request; null where no request did: what targets and refunds send, and unsigned forms.
alter table withdrawals add column api_key_id uuid;
alter table card_payouts add column api_key_id uuid;
alter table exchanges add column api_key_id uuid;
alter table crypto_invoices add column api_key_id uuid;
alter table fiat_invoices add column api_key_id uuid;
