// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Pays native coin from a contract, in every way that a watcher of deposits must distinguish.
contract Payer {
    error Reverted();
    error PaymentFailed(address to);

    /// Each address gets its amount by an internal call.
    function pay(address[] calldata to, uint256[] calldata amounts) public payable {
        for (uint256 i = 0; i < to.length; i++) _send(to[i], amounts[i]);
        _refund();
    }

    /// Pays, then undoes everything: the transaction fails.
    function payThenRevert(address[] calldata to, uint256[] calldata amounts) external payable {
        for (uint256 i = 0; i < to.length; i++) _send(to[i], amounts[i]);
        revert Reverted();
    }

    /// The payments are undone while the transaction succeeds: its trace shows calls with value that never were.
    function payInRevertedCall(address[] calldata to, uint256[] calldata amounts) external payable {
        try this.payThenRevert{value: msg.value}(to, amounts) {
            revert PaymentFailed(address(this));
        } catch {
            _refund();
        }
    }

    /// Gives the receiver 2,300 gas and no more, as `transfer` and `send` do.
    function payWithStipend(address to, uint256 amount) external payable {
        (bool paid,) = to.call{value: amount, gas: 0}("");
        if (!paid) revert PaymentFailed(to);
        _refund();
    }

    /// Destroys a contract made for it: the coins arrive without any call to the receiver.
    function payByDestruction(address payable to) external payable {
        new Bequest{value: msg.value}(to);
    }

    function _send(address to, uint256 amount) private {
        (bool paid,) = to.call{value: amount}("");
        if (!paid) revert PaymentFailed(to);
    }

    function _refund() private {
        if (address(this).balance > 0) _send(msg.sender, address(this).balance);
    }
}

contract Bequest {
    constructor(address payable to) payable {
        selfdestruct(to);
    }
}
