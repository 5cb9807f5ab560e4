-- A refund is sent under a reference that a restored copy derives again, so that the acquirer knows it. Null: it was sent under its id, or not at all.
alter table payment_refunds add column reference uuid;
create trigger payment_refunds_reference before update of reference on payment_refunds
  for each row when (old.reference is not null and new.reference is distinct from old.reference)
  execute function refuse_another_meaning();
