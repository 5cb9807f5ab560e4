-- A transaction with so many inputs and so many outputs to us that its senders are not written beside each output: whoever has to know all of them is told that some are missing.
alter table deposits add column senders_omitted boolean not null default false;
