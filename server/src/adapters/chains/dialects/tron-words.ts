/**
 * Names that java-tron 4.8 uses (protocol/src/main/protos/core, and
 * actuator/src/main/java/org/tron/core/vm/program/Program.java for the notes).
 */
const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''))

export const TRON_WORDS = {
  contracts:
    words(`AccountCreateContract AccountPermissionUpdateContract AccountUpdateContract AssetIssueContract CancelAllUnfreezeV2Contract ClearABIContract CreateSmartContract CustomContract
    DelegateResourceContract ExchangeCreateContract ExchangeInjectContract ExchangeTransactionContract ExchangeWithdrawContract FreezeBalanceContract FreezeBalanceV2Contract GetContract
    MarketCancelOrderContract MarketSellAssetContract ParticipateAssetIssueContract ProposalApproveContract ProposalCreateContract ProposalDeleteContract SetAccountIdContract
    ShieldedTransferContract TransferAssetContract TransferContract TriggerSmartContract UnDelegateResourceContract UnfreezeAssetContract UnfreezeBalanceContract UnfreezeBalanceV2Contract
    UpdateAssetContract UpdateBrokerageContract UpdateEnergyLimitContract UpdateSettingContract VoteAssetContract VoteWitnessContract WithdrawBalanceContract WithdrawExpireUnfreezeContract
    WitnessCreateContract WitnessUpdateContract`),
  outcomes:
    words(`DEFAULT SUCCESS REVERT BAD_JUMP_DESTINATION OUT_OF_MEMORY PRECOMPILED_CONTRACT STACK_TOO_SMALL STACK_TOO_LARGE ILLEGAL_OPERATION STACK_OVERFLOW OUT_OF_ENERGY OUT_OF_TIME
    JVM_STACK_OVER_FLOW UNKNOWN TRANSFER_FAILED INVALID_CODE`),
  notes:
    words(`call create suicide freezeForEnergy freezeForBandwidth unfreezeForEnergy unfreezeForBandwidth freezeBalanceV2ForEnergy freezeBalanceV2ForBandwidth freezeBalanceV2ForTronPower
    unfreezeBalanceV2ForEnergy unfreezeBalanceV2ForBandwidth unfreezeBalanceV2ForTronPower withdrawExpireUnfreeze withdrawExpireUnfreezeWhileUnfreezing withdrawExpireUnfreezeWhileCanceling
    withdrawExpireUnfreezeWhileSuiciding cancelAllUnfreezeV2 delegateResourceOfEnergy delegateResourceOfBandwidth unDelegateResourceOfEnergy unDelegateResourceOfBandwidth voteWitness withdrawReward`),
  receipt: words(
    'assetIssueID blockNumber blockTimeStamp cancel_unfreezeV2_amount contractResult contract_address exchange_id exchange_inject_another_amount exchange_received_amount exchange_withdraw_another_amount fee id internal_transactions log orderDetails orderId packingFee receipt resMessage result shielded_transaction_fee unfreeze_amount withdraw_amount withdraw_expire_amount',
  ),
  parameters: [
    'getEnergyFee',
    'getTransactionFee',
    'getCreateAccountFee',
    'getCreateNewAccountFeeInSystemContract',
    'getTotalEnergyCurrentLimit',
  ],
}
