-- Networks some of whose blocks the node did not trace: what contracts sent in them shows in balances alone. Once such a block is final the worker compares the
-- balances of all addresses with the books, from the first address to the last.
create table untraced_blocks (
  network text primary key,
  -- the lowest and the highest that no comparison has covered; null when every one is covered
  first_height bigint,
  last_height bigint,
  -- a comparison under way: the final height when it began, and the last address that it has compared
  covers bigint,
  compared_to text not null default '',
  check ((first_height is null) = (last_height is null))
);
