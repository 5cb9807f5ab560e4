// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external;
}

/// Sweeps addresses that run no code, by what they signed: transfers (EIP-3009), or an allowance for this contract
/// (ERC-2612). Any account may call it, but only the treasury receives. For that reason an allowance needs no end.
contract SweepRelay {
    /// A signature's parity is the highest bit of `vs`, its s the others (EIP-2098).
    struct Transfer {
        address from;
        uint256 value;
        bytes32 nonce;
        bytes32 r;
        bytes32 vs;
    }

    struct Permit {
        address owner;
        bytes32 r;
        bytes32 vs;
    }

    uint256 private constant GAS_FOR_EACH = 250_000;

    address public immutable treasury;

    event NotSwept(address indexed token, address indexed account);

    error NoTreasury();

    constructor(address treasury_) {
        if (treasury_ == address(0)) revert NoTreasury();
        treasury = treasury_;
    }

    /// Carries out transfers to the treasury that their senders signed, each at most once.
    function transferAll(address token, uint256 validBefore, Transfer[] calldata transfers) external {
        for (uint256 i = 0; i < transfers.length; i++) {
            Transfer calldata one = transfers[i];
            (uint8 v, bytes32 s) = _split(one.vs);
            bytes memory data = abi.encodeCall(
                IToken.transferWithAuthorization,
                (one.from, treasury, one.value, 0, validBefore, one.nonce, v, one.r, s)
            );
            if (!_call(token, data)) emit NotSwept(token, one.from);
        }
    }

    /// Takes the allowances that owners signed, then all they have. A permit that was used already is ignored:
    /// its allowance exists.
    function permitAndPull(address token, uint256 deadline, Permit[] calldata permits) external {
        for (uint256 i = 0; i < permits.length; i++) {
            Permit calldata one = permits[i];
            (uint8 v, bytes32 s) = _split(one.vs);
            _call(
                token,
                abi.encodeCall(IToken.permit, (one.owner, address(this), type(uint256).max, deadline, v, one.r, s))
            );
            _pull(token, one.owner);
        }
    }

    /// Takes all that owners have, by allowances they gave before.
    function pull(address token, address[] calldata owners) external {
        for (uint256 i = 0; i < owners.length; i++) _pull(token, owners[i]);
    }

    function _pull(address token, address owner) private {
        uint256 amount = IToken(token).balanceOf(owner);
        if (amount == 0) return;
        if (!_call(token, abi.encodeCall(IToken.transferFrom, (owner, treasury, amount)))) emit NotSwept(token, owner);
    }

    function _split(bytes32 vs) private pure returns (uint8 v, bytes32 s) {
        v = uint8(uint256(vs) >> 255) + 27;
        s = vs & 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff;
    }

    /// Worked if it did not revert and answered nothing or true. At most one word is read of any answer.
    function _call(address token, bytes memory data) private returns (bool worked) {
        if (token.code.length == 0) return false;
        assembly ("memory-safe") {
            worked := call(GAS_FOR_EACH, token, 0, add(data, 0x20), mload(data), 0x00, 0x20)
            let isTrue := and(gt(returndatasize(), 0x1f), eq(mload(0x00), 1))
            worked := and(worked, or(iszero(returndatasize()), isTrue))
        }
    }
}
