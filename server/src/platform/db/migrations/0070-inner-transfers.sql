-- Transfers that contracts of TRON made were numbered among all internal transactions a node lists, of which a setting of the node decides. They
-- are numbered among those that move coin now. What is stored keeps a number that no reading gives any more: it is found by its sum.
update deposits set index = 't:was:' || substr(index, 3) where network = 'TRON' and index like 't:%';
update fundings set index = 't:was:' || substr(index, 3) where network = 'TRON' and index like 't:%';
update house_transfers set index = 't:was:' || substr(index, 3) where network = 'TRON' and index like 't:%';
