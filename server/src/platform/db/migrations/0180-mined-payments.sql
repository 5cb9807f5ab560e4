-- A payment that no block has may be replaced by its payer at any time: its price holds, and its invoice waits, for a bounded time only.
-- mined_at: when a block of the best chain had it; null while none has. mined_by: until when it has to be mined to count at the price that was fixed
-- when it was seen; null for payments from before, whose price was promised without end.
alter table crypto_invoice_payments add column mined_at timestamptz, add column mined_by timestamptz;
update crypto_invoice_payments p set mined_at = p.arrived_at from deposits d
  where p.state = 'waiting' and d.merchant_id = p.merchant_id and d.id = p.deposit_id and (d.block_height is not null or d.internal);
-- of waiting_in_time, those that a block has: the invoice does not expire before they have ended
alter table crypto_invoices add column waiting_mined integer not null default 0 check (waiting_mined >= 0);
update crypto_invoices i set waiting_mined = p.mined
  from (select merchant_id, invoice_id, count(*) as mined from crypto_invoice_payments where state = 'waiting' and not late and mined_at is not null group by 1, 2) p
  where i.merchant_id = p.merchant_id and i.id = p.invoice_id;
create index crypto_invoices_unmined on crypto_invoices (expires_at) where state in ('created', 'registered', 'pending') and waiting_in_time > 0 and waiting_mined = 0;
