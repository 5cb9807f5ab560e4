-- When a remembered block was made, by its own stamp. Null: it was read before this column.
alter table watch_blocks add column time timestamptz;
