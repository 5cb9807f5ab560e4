-- outside a transaction
-- The exchanges that a conversion has made, by the payment that it converts: the page of a payment shows their entries. An
-- exchange that a merchant asked for has the key of its request.
create index concurrently if not exists exchanges_cause on exchanges (merchant_id, local_id)
  where api_key_id is null and local_id is not null;
