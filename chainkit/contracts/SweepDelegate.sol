// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The code a deposit address runs once its key has delegated to this contract (EIP-7702). Any account may call
/// `sweep`, but only the treasury receives: its address is in the code. There is no owner, no initialiser, no storage.
contract SweepDelegate {
    /// Stands for the chain's own coin in a list of assets.
    address private constant COIN = address(0);

    /// What one asset may use: far more than a transfer needs, little enough that an asset which burns all it is given
    /// leaves the rest of the batch its own.
    uint256 private constant GAS_FOR_EACH = 200_000;

    address public immutable treasury;

    /// Inner transfers of coin have no log of their own; tokens do.
    event CoinSwept(uint256 amount);
    event NotSwept(address indexed asset);

    error NoTreasury();

    constructor(address treasury_) {
        if (treasury_ == address(0)) revert NoTreasury();
        treasury = treasury_;
    }

    /// Payers who give 2,300 gas reach a delegated address like any other.
    receive() external payable {}

    /// An address without code takes coin with any data; so does this one.
    fallback() external payable {}

    /// Sends all there is of each asset to the treasury. What fails stays, and does not keep the others from leaving.
    function sweep(address[] calldata assets) external returns (uint256 failures) {
        for (uint256 i = 0; i < assets.length; i++) {
            address asset = assets[i];
            if (asset == COIN ? _sweepCoin() : _sweepToken(asset)) continue;
            failures++;
            emit NotSwept(asset);
        }
    }

    function _sweepCoin() private returns (bool swept) {
        uint256 amount = address(this).balance;
        if (amount == 0) return true;
        address to = treasury;
        // No answer is copied: its length is the receiver's choice.
        assembly ("memory-safe") {
            swept := call(GAS_FOR_EACH, to, amount, 0, 0, 0, 0)
        }
        if (swept) emit CoinSwept(amount);
    }

    /// A transfer worked if it did not revert and answered nothing (Tether) or true. At most one word is read of any
    /// answer.
    function _sweepToken(address token) private returns (bool swept) {
        address to = treasury;
        assembly ("memory-safe") {
            mstore(0x00, 0x70a0823100000000000000000000000000000000000000000000000000000000) // balanceOf(address)
            mstore(0x04, address())
            let answered := staticcall(GAS_FOR_EACH, token, 0x00, 0x24, 0x00, 0x20)
            if and(answered, gt(returndatasize(), 0x1f)) {
                let amount := mload(0x00)
                swept := iszero(amount)
                if amount {
                    let data := mload(0x40)
                    mstore(data, 0xa9059cbb00000000000000000000000000000000000000000000000000000000) // transfer(address,uint256)
                    mstore(add(data, 0x04), to)
                    mstore(add(data, 0x24), amount)
                    let worked := call(GAS_FOR_EACH, token, 0, data, 0x44, 0x00, 0x20)
                    let isTrue := and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))
                    swept := and(worked, or(iszero(returndatasize()), isTrue))
                }
            }
        }
    }
}
