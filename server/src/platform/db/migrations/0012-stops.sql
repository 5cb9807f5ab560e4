-- A stop may also be of one network; and who made it, who ended it and why stay with it, as rows are never deleted.
alter table freezes add column network text;
alter table freezes add column created_by text not null default 'bursar';
alter table freezes add column lifted_by text;
alter table freezes add column lifted_reason text;

-- Since when the signer may have been asked for it. What it was never asked for is proven not to be signed.
alter table outgoing_attempts add column asked_at timestamptz;
update outgoing_attempts set asked_at = created_at;
