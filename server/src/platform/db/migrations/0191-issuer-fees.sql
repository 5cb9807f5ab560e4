-- What the issuer of a token takes of a transfer between two addresses of ours: a cost of the house, posted with the move and taken back with it.
alter table house_transfers add column issuer_fee boolean not null default false;
