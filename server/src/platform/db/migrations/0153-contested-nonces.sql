-- Nothing was signed, as the signer has signed its nonce for something that these books do not know.
alter table outgoing add column contested boolean not null default false;
create index outgoing_contested on outgoing (network, (senders[1]), nonce) where contested;
