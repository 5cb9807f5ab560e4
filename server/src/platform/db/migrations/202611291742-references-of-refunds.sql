-- A refund is sent under a reference that a restored copy derives again, so that the acquirer knows it. Null: it was sent under its id, or not at all. A refund that provably did not arrive loses it: a worker of the release before may send it next, under its id.
alter table payment_refunds add column reference uuid;
create trigger payment_refunds_reference before update of reference on payment_refunds
  for each row when (old.reference is not null and new.reference is distinct from old.reference
    and not (new.reference is null and new.state = 'requested'))
  execute function refuse_another_meaning();
