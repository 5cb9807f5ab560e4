-- Since when a final transaction of ours is in no block of the best chain any more: finality was broken.
alter table outgoing add column lost_at timestamptz;
create index outgoing_lost on outgoing (network) where lost_at is not null;
