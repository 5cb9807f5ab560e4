-- The deposit that several below the minimum add up to, on each of these: of the same merchant.
alter table deposits add column summed_in uuid;
create index deposits_summed on deposits (merchant_id, summed_in) where summed_in is not null;
