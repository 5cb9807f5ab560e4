-- Checks the rows that are older than the constraint, without a lock that stops writes.
alter table outgoing validate constraint outgoing_mined_outcome;
