// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TestToken} from "./TestToken.sol";

/// Takes one percent of every transfer: what arrives is less than what was sent.
contract FeeToken is TestToken {
    address public immutable collector;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {
        collector = msg.sender;
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 fee = value / 100;
        super._move(from, to, value - fee);
        if (fee > 0) super._move(from, collector, fee);
    }
}
