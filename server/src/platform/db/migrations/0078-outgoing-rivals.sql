-- Transactions in blocks of the best chain that use up what one of ours needs, and are not ours: below the final block they prove that ours
-- can never be mined. A row goes with its block when that is lost.
create table outgoing_rivals (
  outgoing_id uuid not null references outgoing (id),
  -- an outpoint, or address and nonce, as in `outgoing.keys`
  key text not null,
  network text not null,
  hash text not null,
  height bigint not null,
  primary key (outgoing_id, key)
);
create index outgoing_rivals_height on outgoing_rivals (network, height);
