-- How far the signer's log went when it answered last, kept away from the signer's machine: a log that lacks this line was cut
-- back or exchanged, and is neither asked for signatures nor believed about them.
create table signer_log (
  only_one boolean primary key default true check (only_one),
  length bigint not null check (length > 0),
  head text not null,
  noted_at timestamptz not null,
  -- who took a shorter log for the right one, and why
  accepted_by text,
  accepted_reason text
);
