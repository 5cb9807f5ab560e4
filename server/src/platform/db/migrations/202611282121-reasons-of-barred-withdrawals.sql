-- Every row was valid under the stricter check before.
alter table withdrawals validate constraint withdrawals_barred_check;
