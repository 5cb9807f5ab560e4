-- What is paid to an invoice is converted once the invoice is paid: until then its conversion is due at 'infinity'.
alter table conversions add column released_at timestamptz;
create index conversions_held on conversions (merchant_id, cause_id) where state = 'waiting' and next_at = 'infinity';
