// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {SweepDelegate} from "./SweepDelegate.sol";

/// Sweeps many delegated addresses in one transaction. It holds nothing and may do nothing that others may not: where
/// the money goes is said by the code of each address.
contract SweepBatch {
    /// Accounts that are swept of the same assets; the zero address is the chain's own coin.
    struct Group {
        address[] assets;
        address[] accounts;
    }

    /// The account ran no delegate, or its call failed as a whole.
    event AccountNotSwept(address indexed account);

    function sweep(Group[] calldata groups) external {
        for (uint256 i = 0; i < groups.length; i++) {
            bytes memory data = abi.encodeCall(SweepDelegate.sweep, (groups[i].assets));
            address[] calldata accounts = groups[i].accounts;
            for (uint256 j = 0; j < accounts.length; j++) _sweep(accounts[j], data);
        }
    }

    /// An account without code answers a call with success and nothing: only one word says that a delegate ran.
    function _sweep(address account, bytes memory data) private {
        bool swept;
        assembly ("memory-safe") {
            let worked := call(gas(), account, 0, add(data, 0x20), mload(data), 0, 0)
            swept := and(worked, eq(returndatasize(), 0x20))
        }
        if (!swept) emit AccountNotSwept(account);
    }
}
