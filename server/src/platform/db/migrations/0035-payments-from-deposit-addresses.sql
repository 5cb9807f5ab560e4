-- A payment looks for a deposit address that holds just what it needs.
create index custody_addresses_fitting on custody_addresses (network, asset, booked) where booked > 0;
