-- Whose money goes where, and how much, is written once, with the row. What is planned, signed and booked from it later must be the same: nobody who may move a
-- row on in its states can redirect it. These triggers hold for the owner of the tables too, and cost nothing where no such column is named.
create function refuse_another_meaning() returns trigger language plpgsql as $$
begin
  raise exception 'whose a row of % is, where its money goes and how much it is never changes', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger withdrawals_meaning before update of merchant_id, id, ticker, blockchain, to_address, units, fee_units, local_id, internal, hold_id, created_at on withdrawals
  for each statement execute function refuse_another_meaning();
create trigger deposits_meaning before update of merchant_id, id, network, asset, address, address_id, units, fee_units, internal, created_at on deposits
  for each statement execute function refuse_another_meaning();
create trigger addresses_meaning before update of merchant_id, id, family, blockchain, address, derivation_index, created_at on addresses
  for each statement execute function refuse_another_meaning();
create trigger card_payouts_meaning before update of merchant_id, id, kind, ticker, units, fee_units, masked_card, local_id, created_at on card_payouts
  for each statement execute function refuse_another_meaning();
create trigger card_payout_parts_meaning before update of merchant_id, payout_id, number, id, ticker, units, fee_units, created_at on card_payout_parts
  for each statement execute function refuse_another_meaning();
create trigger payments_meaning before update of merchant_id, id, invoice_id, acquirer, ticker, units, created_at on payments
  for each statement execute function refuse_another_meaning();
create trigger payment_refunds_meaning before update of merchant_id, id, payment_id, acquirer, ticker, units, source, hold_id, created_at on payment_refunds
  for each statement execute function refuse_another_meaning();
