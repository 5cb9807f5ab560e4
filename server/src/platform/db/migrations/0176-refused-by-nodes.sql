-- Since when nodes refuse the current form of a transaction as one that can't be valid. It keeps no place among those on their way.
alter table outgoing add column refused_since timestamptz;
