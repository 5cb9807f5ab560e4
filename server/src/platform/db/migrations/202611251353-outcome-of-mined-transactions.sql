-- A transaction in a block has a hash and an outcome: without them it would wait for its final block for ever.
alter table outgoing add constraint outgoing_mined_outcome
  check (state not in ('mined', 'final', 'failed') or (mined_hash is not null and succeeded is not null)) not valid;
