-- The most that the signer lets go in one payment; null: not read yet.
alter table signer_limits add column per_payment numeric(78, 0);
