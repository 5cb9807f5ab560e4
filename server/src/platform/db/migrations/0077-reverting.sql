-- Since when every look at this waiting payment shows that its receiver refuses it, while the same payment to another account would pass.
alter table withdrawals add column reverting_since timestamptz;
