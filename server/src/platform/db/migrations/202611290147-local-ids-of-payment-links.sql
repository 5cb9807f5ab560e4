-- Payment links that the API makes: the merchant's own identifier, and the API key that signed the request.
alter table payment_links add column local_id text, add column api_key_id uuid;
