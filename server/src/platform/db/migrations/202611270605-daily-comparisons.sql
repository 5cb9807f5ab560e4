-- When a comparison of all addresses was last requested for a node that never traces, so that a restart requests none.
alter table untraced_blocks add column daily_at timestamptz;
