-- A part that was freed for a refund or for a dispute is held again when that ends without using it.
alter table card_holds
  -- the ledger's hold of the refund or the dispute
  add column used_for uuid,
  -- how much of the part that used; the rest was held again at once
  add column used_units numeric(78, 0) check (used_units > 0),
  add check ((used_for is null) = (used_units is null));
create index card_holds_used_for on card_holds (merchant_id, used_for) where used_for is not null;
