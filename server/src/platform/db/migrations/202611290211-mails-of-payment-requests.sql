-- outside a transaction
-- Mails with payment pages that members send: each merchant may send so many in an hour and in a day.
create index concurrently if not exists mails_payment_requests on mails (merchant_id, created_at) where kind = 'payment-request';
