-- Few, whatever the table holds.
create index deposits_held on deposits (merchant_id, id) where state = 'held';
