// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {TestToken} from "./TestToken.sol";

/// A token whose transfers fail in the way that is set.
contract BadToken is TestToken {
    enum Mode {
        Works,
        ReturnsFalse,
        Reverts,
        BurnsGas,
        AnswersAtLength,
        CallsBack
    }

    Mode public mode;
    uint256 public callsBack;

    constructor(string memory name_, string memory symbol_, uint8 decimals_) TestToken(name_, symbol_, decimals_) {}

    function setMode(Mode mode_) external {
        mode = mode_;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        if (mode == Mode.ReturnsFalse) return false;
        if (mode == Mode.Reverts) revert("no transfers today");
        if (mode == Mode.AnswersAtLength) {
            assembly {
                return(0, 100000)
            }
        }
        if (mode == Mode.BurnsGas) {
            assembly {
                invalid()
            }
        }
        if (mode == Mode.CallsBack) {
            callsBack++;
            address[] memory assets = new address[](1);
            assets[0] = address(this);
            if (callsBack < 3) ISweep(msg.sender).sweep(assets);
        }
        if (balanceOf[msg.sender] >= value) _move(msg.sender, to, value);
        return true;
    }
}

interface ISweep {
    function sweep(address[] calldata assets) external returns (uint256);
}
