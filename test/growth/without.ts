/** The exports, by folder, that see no text of others, or only hand it to functions that are tried with it. */
export const WITHOUT: Readonly<Record<string, string>> = {
  'cli/console/page': `
    Status ask buildStatement change delayScale delayTicks disqualify draftsOf enter followLinks gapsOf go leave
    linkTo lookAgain read record save saySample sayWork send settle clockOf timeTicks useAnswer useDrafts useEvents usePages usePlace useRendering
    useWork withReason withdraw wordsOf`,
  'cli/console/server': `
    addOrders addVerdict buildStatement bundlePage changes collectNotes createGuard createViews disqualify getEntry
    numberIn openBrowser openView openingFile query readBoard readCase readChecks readCopies readDetail readEntry
    readHits readPair readPairs readSample readSearch readStatus readTimeline readVerdicts reads removeOrders
    runAilog saveBody serve syncNow textIn undoVerdict workApart`,
  'cli/proof/audit': `
    Findings addHints addKnown addLeaves addRows auditAnnounced auditHead auditKeys auditTree checksOf compareNames
    compareTables fileChecks findingKinds keysIn listFiles openAuditData readNewest readTlogItems rowsOf runAudit
    showAsJson showResult`,
  'cli/proof/evidence': `
    besideProof collectFindings countFindings factsOf formatResults inLog isSaved judgeReceipt openJournal
    openStatementFile proofEvidence receiptEvidence recordFiles recordInclusion recordQuorum recordReceipt
    recordTime resultEvidence savedEvidence sentencesOf statementEvidence statusOf unwrittenJournal waitForLog`,
  'cli/proof/inclusion': `
    EntryHashMap announcedDays askAboutKey beginningOf bundlesAround compareLog compareRows contradictionOf copyLog
    describePlace entryFinder explainUnlogged finderByMarks formatPlace formatPlaces hiddenKey hintReader inHead
    inclusionProver inspectLog isContradicted isCount isHead isItem isKey isListOf judgeEntry judgeHead
    judgePublication keepCheckpoint keyHash keyLeavesIn keyWithoutName laterReceiptKeys lookAtLog noLogYet
    noPlaces openFiles openGrownLog openLocator orNoLog placeFinder policyText publicFiles
    publicationFinder quorumTime readHead readKeyLeaves readOwnPolicy readPublishedLog readTlogState receiptKeysIn requireFile requireLogged
    requirePublishedLog statusOf timesOf trustedKeys whyMissing`,
  'cli/proof/page': `
    StringDecoder basename checkFolder closeSync constants createHash createPublicKey createReadStream dirname
    folder fstatSync hasEd25519 hash isDeepStrictEqual isUtf8 join openSync packVerifyPage plainWords readFileSync
    readSync setImmediate showReport statSync sumUp verified verify`,
  'cli/review/figures': `
    byConcern countPlaces derive describeGroup describeReport detailTables digestOf engineOption figuresQuery
    formatGroups formatOrders formatShare formatTeams isToLookAt isoTime longest makeFigures memberRows openAthena
    openReview orderRows pairRows percent printReport readAllowlist readContested readGroups readOrderReports
    readTeams reasons repeatKinds reviewCommand runJob sayRelated showGroups similarity teamRows titleOf wideRow withReasons
    withReviewedRows`,
  'cli/review/orders': `
    addLines daysOf dropDecimals explainOrders findOpenLine importBiggest nameHeads noteOutside readLists`,
  'cli/review/rows': `
    collectRows commit compactFiles compareLeaves copyRows countEntries countRows countWithoutRow downloadDays
    emptyManifest filesOf fillBucket findCandidates findLeaders findMissingRows inspectRows nameFiles noCache noSync
    openBodyReader openCollector openStore openTables openViews placesOf readFiles readFirst readLeaves readNew readWhole
    replaceFiles rowStore sha256Of slotsBetween sourceOf storeDays storeQuery storedLeaders syncRows whyPartial
    withRows`,
  'cli/review/verdicts': `
    agreedReason formatStanding giveVerdict noteHidden readStandings readStandingsIfAllowed reviewsTable
    setReasonCodes shownStandings standingOf withdrawVerdict`,
  'cli/shell/files': `
    createFile credentialVariables credentialsFrom formatCredentials isLocked isRunning kill linkNew lock
    namingFile openRegularFile printCsv removedAtExit replaceFile requireCreatable requireNoFile
    saysLocked syncFolder writeCredentials writeFully writeNew`,
  'cli/shell/terminal': `
    command commandsFor exitCodes formatSpan group joinSignals lazyCommand pause runProcess runProgram showProgress
    upTo watchInterruption`,
  'cli/shell/text':
    'bigintAsText byUid counted excludedShare formatDuration formatInstant formatTime nameSome quantile',
  'cli/store/duckdb': 'countOf memoryFor openEngine queryOf readBatches rowBuffer storedCell',
  'cli/store/entries': `
    conditionsOf createPace entriesReader entryCommand entryVerifier findEntry holds isUnchecked noteValues
    queryRaw readFilter readInOrder readPages requireKnownUids timeKey`,
  'cli/store/exports': 'entryFormats exportParquet firstDay isLate missingDays openExportFile verifyExport writeWhole',
  'cli/store/tables': `
    allowlistEditor apiKeysEditor changeEntries confirmLift copyItems credentialsEndedBy describeAllowlistEntry
    describeKey failChange failWrite handOver hasStatus isListed issueKey keptFields nameBarred newId occasionOf planFiles
    readAllowlistEntries readKey recordedTable requestRotation requireListed requireOwnersListed
    rotateKey selectKeys textOption writeChanges`,
  'cli/store/targets': `
    bucketFiles clientSettings documents engineAt fileSeal folderFiles freePort health isServing judgeAlarms judgeCanary
    judgeErrors judgeKeys judgeLastUpload judgeMail judgeSettings judgeStack keyFileSeal kmsSeal leave localIdentity localPaths localTables nativeNumber
    openLocal openStack orMissing readAccount readDemo readResources readStackHealth readStackLoad readTimeout requireDeployedRows scan startEngine
    tableNames targetCommand timeouts toEntry unlogged withTarget`,
  functions: `
    ApiError BoundedMap apiErrors createLogger environmentReader functionTables isDependencyFailure
    isPartitionThrottled mapKeys metrics orUndefined serverClockOf tableEnvironment tableOf tableVariable`,
  'functions/ailog': 'aiLogSchema entriesTable expiryOf',
  'functions/allowlist': 'allowlistTable requireApproved',
  'functions/auth': `
    acceptedCredentials apiKeysTable authenticatedData createCredentialStore credentialsInGrace fileDecrypt isUsable
    keyFileDecrypt kmsDecrypt`,
  'functions/c2sp': `
    appendEntries appendHashes bundledEntry bundlesFrom consistencyRanges hashesAt hexId inclusionRanges leafHashOf
    levelsOf nodeHash partialTiles quorumReached rawPublicKey rawPublicKeyOf readEdge requireSize rootOfEdge
    sameHash signEd25519 signNote splitHashes splitOf tileOf tilePath treeHash treeReader verifyConsistency
    verifyEd25519 verifyInclusion`,
  'functions/features': 'PoisonedEntry mix openRowFile readRows rowFile',
  'functions/indexer': 'compactDays createHandler dayFiles dayOf handler keyOf readIndexerConfig rowBucket storeRows',
  'functions/receipts': 'createReceiptSigner fileDecryptReceiptKey isEntryEdited readReceiptKey readReceiptKeys',
  'functions/sequencer': `
    FatalError Sequencer Superseded appendArrivals arrivalsOf createFile createHandler handler isLookDue
    kmsReceiptKey kmsSigner lookAgain publicReads readAgain readEntryHashes readSequencerConfig readVerifiedEdge receiptKeyTable
    requireFile runSequencer s3Storage`,
  'functions/tlog': `
    arrivalKeysOf arrivalSlot arrivalTime checkpointPath cosignedPath firstHead formatHint headTable headersOf
    hintsPath isAnnounced markBefore nextHead receiptKeyContext receiptKeyName retentionPreimage stagingPath`,
  'functions/upload':
    'callerRecordsReader createHandler handler preloaded readConfig storeEntry successResponse uploadSteps',
  'functions/upload/middleware': `
    authenticate checkAllowlist enforceWeights errorResponse logRequest readRecords startRequest timed`,
  'functions/weights': 'weightsTable windowAt',
};
