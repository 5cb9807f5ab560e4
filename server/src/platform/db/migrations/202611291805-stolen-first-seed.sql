-- A hot address of a first seed that another party may have, and the operators' decisions about deposits at such a seed.
alter table house_addresses add column stolen_at timestamptz;
alter table deposits add column first_seed_decided boolean;
