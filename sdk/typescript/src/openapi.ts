// Written by `npm run sdk:types` from the OpenAPI document of the service. Do not edit.

export interface paths {
    "/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments, newest first
         * @description By pages, with the exact number of all matches. To find a payment by its reference use the search.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Create a payment and its checkout session
         * @description The same key and body answer the original 201 again, with `Idempotent-Replayed: true`, for 24 hours.
         */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment
         * @description Stored state: the payment network is not called. With `waitSeconds` the answer comes when the status, the refunds or whether it can still be paid change.
         */
        get: operations["retrievePayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prepare card capture
         * @description No body. Charges nothing; a retry returns the same access and does not extend it.
         */
        post: operations["prepareCapture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/checkout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a checkout
         * @description Stored state of a merchant-captured checkout, with `actionUrl` while the customer must complete a step.
         */
        get: operations["retrieveCheckout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/pay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay with a captured card
         * @description A declined attempt is a success answer with `status: failed`. After 409 or 503 poll the status.
         */
        post: operations["pay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm the customer's step
         * @description Only for merchants approved for custom action handling; the page at `actionUrl` does it by itself.
         */
        post: operations["confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of a checkout
         * @description With `waitSeconds` the answer comes when the status changes; at once where it is final.
         */
        get: operations["retrieveStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened to a payment, and whom it waits for
         * @description With `at`, the payment and its timeline as they were at that instant.
         */
        get: operations["retrieveTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/search/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find payments, newest first
         * @description All filters given must match. With `Accept: text/csv` everything that matches is streamed, whatever the limit.
         */
        get: operations["searchPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payment links
         * @description Newest first.
         */
        get: operations["listPaymentLinks"];
        put?: never;
        /**
         * Create a payment link
         * @description Each customer who opens its address gets a hosted payment.
         */
        post: operations["createPaymentLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment link
         * @description What it offers and how many payments it has.
         */
        get: operations["retrievePaymentLink"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Close or reopen a payment link
         * @description Payments that it began can still be paid.
         */
        patch: operations["changePaymentLink"];
        trace?: never;
    };
    "/v1/payments/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the refunds of a payment
         * @description In any status, newest first.
         */
        get: operations["listRefundsOfPayment"];
        put?: never;
        /**
         * Refund a payment, in part or its whole remaining amount
         * @description The refund begins as `pending`. The same key and body answer the original 201 again, for 24 hours.
         */
        post: operations["createRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List refunds
         * @description The refunds of all payments in any status, newest first.
         */
        get: operations["listRefunds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a refund
         * @description Stored state: the payment network is not called.
         */
        get: operations["retrieveRefund"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/refunds/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a refund before it is submitted
         * @description Once it was sent to the network it can no longer be canceled.
         */
        post: operations["cancelRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List disputes
         * @description By `page` and `perPage`, newest first. With `dueBefore` by `limit` and `cursor`, the next deadline first.
         */
        get: operations["listDisputes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the disputes of a payment
         * @description By `page` and `perPage`, newest first. With `dueBefore` by `limit` and `cursor`, the next deadline first.
         */
        get: operations["listDisputesOfPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a dispute
         * @description With the evidence that is staged or was submitted.
         */
        get: operations["retrieveDispute"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes/{id}/evidence": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Stage evidence
         * @description The texts may also be given at the top level, without `evidence`.
         */
        put: operations["stageEvidence"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes/{id}/submit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Submit the staged evidence; final
         * @description Sends the staged texts to the network. They cannot be changed or sent again at this stage.
         */
        post: operations["submitEvidence"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/disputes/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept a dispute; final
         * @description The customer keeps the money, and the dispute is lost.
         */
        post: operations["acceptDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/movements": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List movements of money
         * @description Last booked first. A month is closed three days after its end: what is noticed later is booked then.
         */
        get: operations["listMovements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description The endpoints of the environment of your key, without their secrets.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Add a webhook endpoint
         * @description The signing secret is shown in this answer only.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Its address, event types and state, without its secret.
         */
        get: operations["retrieveWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Nothing more is sent to it.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change, enable or disable a webhook endpoint
         * @description An absent field stays as it is; `events` null sends all types.
         */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the signing secret
         * @description Deliveries carry signatures of both secrets for 24 hours.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Sends one `endpoint.test` event to this endpoint, whatever types it receives.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to an endpoint
         * @description Newest first, each with its latest attempts.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a range of events again
         * @description Sends the events of a time span again, or only those that failed. `dryRun` counts them and sends nothing.
         */
        post: operations["replayEvents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the event log
         * @description Newest first; with `after`, oldest first from that event on. Events are kept for 90 days.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an event
         * @description The event exactly as its webhooks carry it.
         */
        get: operations["retrieveEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description To one endpoint, or to every enabled endpoint that receives its type.
         */
        post: operations["redeliverEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List calls of the API
         * @description By every key of this environment, newest first, for seven days.
         */
        get: operations["listRequests"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/head": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the end of the audit log
         * @description Of both environments. Store it elsewhere: `admin audit verify --head` shows whether the log still has it.
         */
        get: operations["retrieveAuditHead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/branding": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the branding of the checkout page
         * @description In the environment of your key. What is not set is null.
         */
        get: operations["retrieveBranding"];
        put?: never;
        post?: never;
        /**
         * Remove the branding of the checkout page
         * @description The page shows the name of the merchant and the standard colors.
         */
        delete: operations["clearBranding"];
        options?: never;
        head?: never;
        /**
         * Change logo, color, name and links of the checkout page
         * @description A text sets a field, `null` clears it, an absent field stays. `logo` and `darkLogo`, for dark pages, are PNG or SVG files of up to 256 KB in base64.
         */
        patch: operations["changeBranding"];
        trace?: never;
    };
    "/v1/sandbox/payments/{id}/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the outcome of a payment
         * @description Decides the attempt that is under way, or makes one for the customer, without a card.
         */
        post: operations["orderOutcome"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/payments/{id}/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a challenge for the customer
         * @description Does what the customer would do on the page of the challenge.
         */
        post: operations["answerChallenge"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/payments/{id}/advance-clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a payment's deadlines nearer
         * @description Ends the capture access of a new payment by 600 seconds, its checkout by 1800.
         */
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/payments/{id}/disputes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a dispute
         * @description The network opens a dispute of a paid payment.
         */
        post: operations["openDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/disputes/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a dispute
         * @description The decision of the network, also before evidence was submitted.
         */
        post: operations["resolveDispute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/refunds/{id}/outcome": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide a refund
         * @description Submits a refund that could still be canceled. `failed` after `succeeded` is a late failure.
         */
        post: operations["settleRefund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sandbox/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Order trouble of a dependency
         * @description The next calls to this dependency fail in the given way, for all of your payments or for one.
         */
        post: operations["orderFault"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "payment.pending": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `pending`. */
        post: operations["onPaymentPending"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.requiresAction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `requiresAction`. */
        post: operations["onPaymentRequiresAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `paid`. */
        post: operations["onPaymentPaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `failed`. */
        post: operations["onPaymentFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.refunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `refunded`. */
        post: operations["onPaymentRefunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.partiallyRefunded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `partiallyRefunded`. */
        post: operations["onPaymentPartiallyRefunded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.disputed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `disputed`. */
        post: operations["onPaymentDisputed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.disputeWon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `disputeWon`. */
        post: operations["onPaymentDisputeWon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.disputeLost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A payment became `disputeLost`. */
        post: operations["onPaymentDisputeLost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "payment.unexpectedCapture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The network took money that no paid attempt has. Find it by `data.unexpectedCapture.providerReference` at the network and refund it there, or fulfill the order. */
        post: operations["onPaymentUnexpectedCapture"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A refund was created. */
        post: operations["onRefundCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.succeeded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A refund is now `succeeded`. */
        post: operations["onRefundSucceeded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A refund is now `failed`. */
        post: operations["onRefundFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "refund.canceled": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A refund is now `canceled`. */
        post: operations["onRefundCanceled"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute was created. */
        post: operations["onDisputeCreated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute has another stage, amount or deadline. */
        post: operations["onDisputeUpdated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.underReview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute is now `underReview`. */
        post: operations["onDisputeUnderReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.won": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute is now `won`. */
        post: operations["onDisputeWon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.lost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute is now `lost`. */
        post: operations["onDisputeLost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.withdrawn": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A dispute is now `withdrawn`. */
        post: operations["onDisputeWithdrawn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "dispute.evidenceDueSoon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A reminder before the deadline for evidence. */
        post: operations["onDisputeEvidenceDueSoon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "risk.cardTesting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pays are refused with 429 `too_many_declines`: a program seems to try card after card. */
        post: operations["onRiskCardTesting"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "endpoint.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sent on request, to try an endpoint. */
        post: operations["onEndpointTest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description `invalid_request`: The request is malformed.
         *
         *     `invalid_query`: A query parameter is invalid.
         *
         *     `unauthorized`: A valid API key is required.
         *
         *     `insufficient_scope`: This key has no scope for this call.
         *
         *     `address_not_allowed`: This key may not be used from this address.
         *
         *     `cap_reached`: This key has reached what it may refund in a day. The day ends at midnight UTC.
         *
         *     `not_found`: Not found.
         *
         *     `idempotency_in_progress`: The first request with this Idempotency-Key is still running. Retry with the same key and body.
         *
         *     `idempotency_key_reused`: This Idempotency-Key was already used with a different request. Use a new key.
         *
         *     `payment_in_progress`: An attempt is being processed. Poll the status.
         *
         *     `action_required`: The customer must complete the open action first.
         *
         *     `confirmation_in_progress`: A confirmation is being processed. Poll the status.
         *
         *     `confirmation_not_required`: There is nothing to confirm.
         *
         *     `result_pending`: The result of the previous attempt is being reconciled. Poll the status.
         *
         *     `checkout_expired`: The checkout or its capture access has expired or is closed. Read the payment before you create another.
         *
         *     `attempts_exhausted`: No attempts are left. Read the payment before you create another.
         *
         *     `validation_failed`: A field is invalid.
         *
         *     `card_token_rejected`: The card token cannot be used for this payment. Read the checkout and capture the card again.
         *
         *     `rate_limited`: Too many requests. Retry after the time in Retry-After.
         *
         *     `too_many_declines`: Too many cards were declined. Retry after the time in Retry-After.
         *
         *     `service_unavailable`: A dependency is unavailable. The request may still be processed, so read the status before you retry.
         *
         *     `payment_not_refundable`: This payment cannot be refunded in its current status.
         *
         *     `refund_not_cancelable`: This refund was already submitted and can no longer be canceled.
         *
         *     `evidence_already_submitted`: Evidence was already submitted for this dispute.
         *
         *     `sandbox_not_applicable`: This simulation does not apply to the current status.
         *
         *     `dispute_closed`: This dispute is closed.
         *
         *     `evidence_past_due`: The deadline for evidence has passed.
         * @enum {string}
         */
        ErrorCode: "invalid_request" | "invalid_query" | "unauthorized" | "insufficient_scope" | "address_not_allowed" | "cap_reached" | "not_found" | "idempotency_in_progress" | "idempotency_key_reused" | "payment_in_progress" | "action_required" | "confirmation_in_progress" | "confirmation_not_required" | "result_pending" | "checkout_expired" | "attempts_exhausted" | "validation_failed" | "card_token_rejected" | "rate_limited" | "too_many_declines" | "service_unavailable" | "payment_not_refundable" | "refund_not_cancelable" | "evidence_already_submitted" | "sandbox_not_applicable" | "dispute_closed" | "evidence_past_due";
        /**
         * @description Why the request was refused. It describes the request, never the payment.
         * @example {
         *       "error": {
         *         "code": "validation_failed",
         *         "message": "reference is required",
         *         "field": "reference"
         *       }
         *     }
         */
        Error: {
            error: {
                code: components["schemas"]["ErrorCode"];
                /** @description For people; it may change. */
                message: string;
                /** @description The offending field, on validation errors. */
                field?: string;
            };
        };
        /** @example evt_5g5SLmIUyUPNOjKUl2iEhwBJ */
        EventId: string;
        /** @enum {string} */
        Environment: "sandbox" | "live";
        /** @description Something that happened; the body of a webhook. */
        Event: components["schemas"]["EventEnvelope"] & {
            /**
             * @description The webhooks of this document say what each type means. More types may come.
             * @example payment.paid
             */
            type: string;
            /** @description The object as it was at the time of the event. */
            data: {
                [key: string]: unknown;
            };
        };
        /** Format: uri */
        HttpsUrl: string;
        /** @enum {string} */
        CheckoutMode: "hosted" | "custom";
        /** @enum {string} */
        Locale: "en" | "es" | "pt" | "auto";
        /**
         * @description A payment to create. Unknown fields are refused.
         * @example {
         *       "amountCents": 2500,
         *       "currency": "USD",
         *       "reference": "order-1001",
         *       "successUrl": "https://shop.example/thanks",
         *       "cancelUrl": "https://shop.example/cart",
         *       "locale": "en",
         *       "customer": {
         *         "email": "ada@example.com",
         *         "name": "Ada Lovelace"
         *       },
         *       "metadata": {
         *         "cart": "c-77"
         *       },
         *       "description": "Spring delivery",
         *       "lineItems": [
         *         {
         *           "name": "Coffee beans, 250 g",
         *           "quantity": 2,
         *           "amountCents": 2500
         *         }
         *       ]
         *     }
         */
        CreatePayment: {
            /** @description US cents. */
            amountCents: number;
            /** @enum {string} */
            currency: "USD";
            /** @description Your order reference. */
            reference: string;
            successUrl: components["schemas"]["HttpsUrl"];
            cancelUrl: components["schemas"]["HttpsUrl"];
            /**
             * @description Offer only this method; omit to offer all configured ones.
             * @enum {string}
             */
            paymentMethod?: "card" | "wallet";
            /** @description Default: `hosted`. */
            checkoutMode?: components["schemas"]["CheckoutMode"];
            /**
             * Format: uri
             * @description The approved website that embeds the checkout: scheme, host and port.
             */
            embeddingOrigin?: string;
            /** @description Language of the page; `auto`: the language of the customer's browser. Default: `en`. */
            locale?: components["schemas"]["Locale"];
            /** @description Must equal the API key's environment. */
            environment?: components["schemas"]["Environment"];
            customer?: {
                /** Format: email */
                email?: string;
                name?: string;
                /** @description For wallet payments; never returned. */
                documentNumber?: string;
                /** @description For wallet payments; never returned. */
                phone?: string;
            };
            /** @description Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8 JSON. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description What the payment is for; the customer sees it. */
            description?: string;
            /** @description What is bought; the customer sees it. The amounts of all lines add up to the amount of the payment. */
            lineItems?: components["schemas"]["NewLineItem"][];
        };
        /** @description One line of what is bought. */
        NewLineItem: {
            name: string;
            quantity: number;
            /** @description US cents for the whole line, so its quantity is counted already. */
            amountCents: number;
        };
        /**
         * @description The payment that was created.
         * @example {
         *       "id": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "status": "pending",
         *       "checkoutUrl": "https://pay.example/c/3v0yJxq2p7mT4sKd",
         *       "expiresAt": "2026-03-01T12:30:00.000Z",
         *       "environment": "sandbox"
         *     }
         */
        CreationResult: {
            /** Format: uuid */
            id: string;
            /** @constant */
            status: "pending";
            /**
             * Format: uri
             * @description Redirect the customer's browser here, exactly as returned; a secret.
             */
            checkoutUrl: string;
            /** Format: date-time */
            expiresAt: string;
            environment: components["schemas"]["Environment"];
        };
        CreationResultResponse: {
            data: components["schemas"]["CreationResult"];
        };
        /** @enum {string} */
        PaymentStatus: "pending" | "requiresAction" | "paid" | "failed" | "refunded" | "partiallyRefunded" | "disputed" | "disputeWon" | "disputeLost";
        /** @enum {string} */
        PaymentMethod: "card" | "wallet" | "pix";
        /**
         * @description A payment as stored. Fulfill an order only on status `paid`, read with the key of its environment.
         * @example {
         *       "id": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "reference": "order-1001",
         *       "status": "paid",
         *       "method": "card",
         *       "amountCents": 2500,
         *       "refundedCents": 0,
         *       "netCents": 2500,
         *       "currency": "USD",
         *       "customer": {
         *         "email": "ada@example.com",
         *         "name": "Ada Lovelace"
         *       },
         *       "metadata": {
         *         "cart": "c-77"
         *       },
         *       "checkoutUrl": null,
         *       "expiresAt": "2026-03-01T12:30:00.000Z",
         *       "cardBin": "42424242",
         *       "cardIssuer": null,
         *       "cardBrand": "visa",
         *       "cardLast4": "4242",
         *       "failureCode": null,
         *       "failureMessage": null,
         *       "createdAt": "2026-03-01T12:00:00.000Z",
         *       "paidAt": "2026-03-01T12:04:31.000Z",
         *       "refundedAt": null,
         *       "environment": "sandbox",
         *       "description": "Spring delivery",
         *       "lineItems": [
         *         {
         *           "name": "Coffee beans, 250 g",
         *           "quantity": 2,
         *           "amountCents": 2500
         *         }
         *       ],
         *       "locale": "auto"
         *     }
         */
        Payment: {
            /** Format: uuid */
            id: string;
            reference: string;
            status: components["schemas"]["PaymentStatus"];
            method: components["schemas"]["PaymentMethod"] | null;
            amountCents: number;
            refundedCents: number;
            /** @description What you keep of the payment: 0 before it is paid, then its amount without refunds. */
            netCents: number;
            /** @constant */
            currency: "USD";
            customer: {
                /** Format: email */
                email: string | null;
                name: string | null;
            };
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: uri
             * @description For the customer's browser only; null once the checkout can no longer be used.
             */
            checkoutUrl: string | null;
            /**
             * Format: date-time
             * @description The checkout deadline.
             */
            expiresAt: string;
            cardBin: string | null;
            cardIssuer: components["schemas"]["CardIssuer"] | null;
            cardBrand: string | null;
            cardLast4: string | null;
            /** @description Set when the status is `failed`; new values may appear. */
            failureCode: string | null;
            failureMessage: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            paidAt: string | null;
            /** Format: date-time */
            refundedAt: string | null;
            environment: components["schemas"]["Environment"];
            /** @description Only where it was sent. */
            description?: string;
            /** @description Only where they were sent. */
            lineItems?: components["schemas"]["LineItem"][];
            /**
             * @description Only where the page follows the language of the customer's browser.
             * @constant
             */
            locale?: "auto";
            /**
             * @description Only where the service lost the payment and wrote it back: customer, metadata and description may be missing.
             * @constant
             */
            restored?: true;
        };
        /**
         * @description Facts about the card's issuer; each is null when unknown.
         * @example {
         *       "bank": "Example Bank",
         *       "countryCode": "US",
         *       "countryName": "United States",
         *       "type": "credit",
         *       "level": "classic",
         *       "category": "consumer",
         *       "regulated": null
         *     }
         */
        CardIssuer: {
            bank: string | null;
            countryCode: string | null;
            countryName: string | null;
            type: string | null;
            level: string | null;
            category: string | null;
            regulated: string | null;
        };
        /**
         * @description One line of what is bought.
         * @example {
         *       "name": "Coffee beans, 250 g",
         *       "quantity": 2,
         *       "amountCents": 2500
         *     }
         */
        LineItem: {
            name: string;
            quantity: number;
            /** @description US cents for the whole line, so its quantity is counted already. */
            amountCents: number;
        };
        /**
         * @description The position of this page in the list.
         * @example {
         *       "page": 1,
         *       "perPage": 20,
         *       "total": 1
         *     }
         */
        ListMeta: {
            page: number;
            perPage: number;
            /** @description All matches of the filters, not only those of this page. */
            total: number;
        };
        PaymentPage: {
            data: components["schemas"]["Payment"][];
            meta: components["schemas"]["ListMeta"];
        };
        PaymentResponse: {
            data: components["schemas"]["Payment"];
        };
        /** @enum {string} */
        CheckoutStatus: "open" | "processing" | "requiresAction" | "paid" | "failed_retryable" | "expired";
        /** @enum {string} */
        TerminalReason: "checkout_expired" | "attempts_exhausted" | "provider_failed";
        /**
         * @description A merchant-captured checkout. The answer of prepare must not be returned to a browser.
         * @example {
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "amountCents": 2500,
         *       "currency": "USD",
         *       "reference": "order-1001",
         *       "status": "open",
         *       "expiresAt": "2026-03-01T12:30:00.000Z",
         *       "attemptsLeft": 5,
         *       "environment": "sandbox",
         *       "pciConfig": {
         *         "provider": "cardVault",
         *         "captureUrl": "https://vault.example/capture",
         *         "vaultId": "cap_8Jd02mKq",
         *         "allowedOrigin": "https://shop.example"
         *       },
         *       "capture": {
         *         "url": "https://vault.example/capture",
         *         "secret": "cs_4nQ8vB1xT6yR3wZ0",
         *         "reference": "cap_8Jd02mKq",
         *         "expiresAt": "2026-03-01T12:10:00.000Z"
         *       }
         *     }
         */
        Checkout: {
            /** Format: uuid */
            paymentId: string;
            amountCents: number;
            /** @constant */
            currency: "USD";
            reference: string;
            status: components["schemas"]["CheckoutStatus"];
            /** Format: date-time */
            expiresAt: string;
            attemptsLeft: number;
            environment: components["schemas"]["Environment"];
            pciConfig: {
                /** @enum {string} */
                provider: "cardVault" | "pciVault";
                /** Format: uri */
                captureUrl: string;
                /** @description Random, of this payment only. */
                vaultId: string;
                /** Format: uri */
                allowedOrigin: string;
                /**
                 * Format: uri
                 * @description Only with a hosted form for the checkout origin.
                 */
                iframeUrl?: string;
            };
            /** @description Why the checkout is closed; only present then. */
            terminalReason?: components["schemas"]["TerminalReason"];
            /**
             * Format: uri
             * @description Open in the customer's browser; only present while the status is `requiresAction`.
             */
            actionUrl?: string;
            capture?: {
                /**
                 * Format: uri
                 * @description Post the card fields here, exactly as returned, from your backend.
                 */
                url: string;
                /** @description Value of X-CardVault-Capture-Secret. Keep it on your backend; never log it. */
                secret: string;
                reference: string;
                /** Format: date-time */
                expiresAt: string;
            };
        };
        CheckoutResponse: {
            data: components["schemas"]["Checkout"];
        };
        /**
         * @description The vault's answer for this payment. Unknown fields are refused; card fields never belong here.
         * @example {
         *       "cardToken": "tok_5f0c2b7e9a41d83c",
         *       "captureReference": "cap_8Jd02mKq"
         *     }
         */
        Pay: {
            /** @description The vault's token for this payment. */
            cardToken: string;
            /** @description Equal to `capture.reference`. */
            captureReference: string;
        };
        /**
         * @description The result of one attempt. Read the payment for its final status.
         * @example {
         *       "status": "paid",
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90"
         *     }
         * @example {
         *       "status": "requiresAction",
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "clientSecret": "act_secret_7Yq1",
         *       "publishableKey": "pk_sandbox_example"
         *     }
         * @example {
         *       "status": "failed",
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "failureCode": "card_declined",
         *       "message": "The card was declined.",
         *       "attemptsLeft": 4
         *     }
         */
        AttemptResult: components["schemas"]["AttemptPaid"] | components["schemas"]["AttemptRequiresAction"] | components["schemas"]["AttemptFailed"];
        /** @description The attempt succeeded. */
        AttemptPaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "paid";
            /** Format: uuid */
            paymentId: string;
        };
        /** @description The customer must complete a step. */
        AttemptRequiresAction: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "requiresAction";
            /** Format: uuid */
            paymentId: string;
            /** @description A secret of the current action. */
            clientSecret: string;
            publishableKey: string;
        };
        /** @description The attempt was declined. */
        AttemptFailed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            status: "failed";
            /** Format: uuid */
            paymentId: string;
            failureCode: string;
            message: string;
            attemptsLeft: number;
        };
        AttemptResultResponse: {
            data: components["schemas"]["AttemptResult"];
        };
        /**
         * @description The empty object.
         * @example {}
         */
        Confirm: Record<string, never>;
        /**
         * @description The durable state of a merchant-captured checkout.
         * @example {
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "status": "requiresAction",
         *       "attemptsLeft": 5,
         *       "expiresAt": "2026-03-01T12:30:00.000Z",
         *       "action": {
         *         "kind": "threeDS",
         *         "clientSecret": "act_secret_7Yq1",
         *         "publishableKey": "pk_sandbox_example"
         *       }
         *     }
         */
        CheckoutState: {
            /** Format: uuid */
            paymentId: string;
            status: components["schemas"]["CheckoutStatus"];
            attemptsLeft: number;
            /** Format: date-time */
            expiresAt: string;
            action: components["schemas"]["CheckoutAction"] | null;
            /** @description Why the checkout is closed; only present then. */
            terminalReason?: components["schemas"]["TerminalReason"];
        };
        /** @description The open step of the customer. */
        CheckoutAction: components["schemas"]["ThreeDSAction"] | components["schemas"]["WalletAction"];
        /** @description The customer must authenticate the card. */
        ThreeDSAction: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "threeDS";
            /** @description A secret of the current action. */
            clientSecret: string;
            publishableKey: string;
        };
        /** @description The customer must approve the payment in the wallet. */
        WalletAction: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "wallet";
            /** Format: uri */
            checkoutUrl: string;
            /** Format: date-time */
            expiresAt: string;
        };
        CheckoutStateResponse: {
            data: components["schemas"]["CheckoutState"];
        };
        /**
         * Format: date-time
         * @example 2026-03-01T12:04:31.000Z
         */
        Instant: string;
        /** @enum {string} */
        WaitingParty: "customer" | "network" | "vault" | "deadline" | "operator";
        /** @description A payment at one instant, what it waited for, and what had happened, oldest first. */
        Timeline: {
            payment: components["schemas"]["Payment"];
            waitingFor: components["schemas"]["WaitingFor"] | null;
            entries: components["schemas"]["TimelineEntry"][];
        };
        /**
         * @description The one party a payment waits for.
         * @example {
         *       "who": "customer",
         *       "since": "2026-03-01T12:00:00.000Z",
         *       "until": "2026-03-01T12:30:00.000Z",
         *       "next": "Waiting for the customer to pay. The checkout closes unpaid at the deadline."
         *     }
         */
        WaitingFor: {
            who: components["schemas"]["WaitingParty"];
            /** Format: date-time */
            since: string;
            /**
             * Format: date-time
             * @description When the wait ends by itself.
             */
            until: string | null;
            /** @description What happens next, in a sentence for people. */
            next: string;
        };
        /**
         * @description One thing that happened to a payment.
         * @example {
         *       "at": "2026-03-01T12:04:31.000Z",
         *       "kind": "payment.paid",
         *       "title": "Payment is paid",
         *       "detail": {
         *         "previousStatus": "pending",
         *         "method": "card",
         *         "cardBrand": "visa",
         *         "cardLast4": "4242"
         *       }
         *     }
         */
        TimelineEntry: {
            /** Format: date-time */
            at: string;
            /** @description The kind of entry; new kinds may appear. */
            kind: string;
            /** @description The same in a sentence for people. */
            title: string;
            /** @description Ids, amounts and codes; new members may appear. */
            detail: {
                [key: string]: string | number | boolean | null;
            };
        };
        TimelineResponse: {
            data: components["schemas"]["Timeline"];
        };
        /** @description Where the next page of the list begins. */
        CursorMeta: {
            /** @description Null on the last page. */
            nextCursor: string | null;
        };
        PaymentCursorPage: {
            data: components["schemas"]["Payment"][];
            meta: components["schemas"]["CursorMeta"];
        };
        /** Format: date-time */
        UtcInstant: string;
        /** @description A payment link to create. Unknown fields are refused. */
        CreatePaymentLink: {
            /** @description US cents. */
            amountCents: number;
            /** @enum {string} */
            currency: "USD";
            /** @description Every payment of the link has it. */
            reference: string;
            /** @description What is paid for; the customer sees it. */
            description?: string;
            /** @description What is bought; the customer sees it. The amounts of all lines add up to the amount of the payment. */
            lineItems?: components["schemas"]["NewLineItem"][];
            /** @description Offer only these methods; omit to offer all configured ones. */
            methods?: components["schemas"]["PaymentMethod"][];
            successUrl: components["schemas"]["HttpsUrl"];
            cancelUrl: components["schemas"]["HttpsUrl"];
            /** @description How often it can be paid; omit for any number. */
            maxPayments?: number;
            /** @description Omit for never. */
            expiresAt?: components["schemas"]["UtcInstant"];
        };
        /** @description An address under which each customer gets a payment. */
        PaymentLink: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uri
             * @description Send it to your customers.
             */
            url: string;
            active: boolean;
            amountCents: number;
            /** @constant */
            currency: "USD";
            reference: string;
            description: string | null;
            /** @description Empty when none were sent. */
            lineItems: components["schemas"]["LineItem"][];
            /** @description Null: all that are configured. */
            methods: components["schemas"]["PaymentMethod"][] | null;
            /** Format: uri */
            successUrl: string;
            /** Format: uri */
            cancelUrl: string;
            maxPayments: number | null;
            /** @description Those that are paid or may still be paid. */
            paymentCount: number;
            /** Format: date-time */
            expiresAt: string | null;
            environment: components["schemas"]["Environment"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        PaymentLinkResponse: {
            data: components["schemas"]["PaymentLink"];
        };
        PaymentLinkPage: {
            data: components["schemas"]["PaymentLink"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description A change of a payment link.
         * @example {
         *       "active": false
         *     }
         */
        ChangePaymentLink: {
            /** @description Whether the link begins payments. */
            active: boolean;
        };
        /** @enum {string} */
        RefundReason: "duplicate" | "fraudulent" | "requestedByCustomer" | "other";
        /**
         * @description A refund to make. Unknown fields are refused.
         * @example {
         *       "amountCents": 1000,
         *       "reason": "requestedByCustomer",
         *       "reference": "return-88"
         *     }
         */
        CreateRefund: {
            /** @description US cents; omit to refund the whole remaining amount. */
            amountCents?: number;
            reason?: components["schemas"]["RefundReason"];
            /** @description Your reference of this refund. */
            reference?: string;
            /** @description Free-form, at most 100 keys and 16384 bytes of canonical (RFC 8785) UTF-8 JSON. */
            metadata?: {
                [key: string]: unknown;
            };
        };
        /** @enum {string} */
        RefundStatus: "pending" | "succeeded" | "failed" | "canceled";
        /**
         * @description A refund, in any status. The payment’s `refundedCents` counts succeeded refunds.
         * @example {
         *       "id": "01931c5e-9b70-7c3c-9d41-2f6e5a7c8b91",
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "amountCents": 1000,
         *       "currency": "USD",
         *       "status": "succeeded",
         *       "reason": "requestedByCustomer",
         *       "reference": "return-88",
         *       "failureCode": null,
         *       "failureMessage": null,
         *       "metadata": {},
         *       "environment": "sandbox",
         *       "createdAt": "2026-03-02T09:00:00.000Z",
         *       "succeededAt": "2026-03-02T09:00:02.000Z",
         *       "failedAt": null
         *     }
         */
        Refund: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            paymentId: string;
            amountCents: number;
            /** @constant */
            currency: "USD";
            /** @description `succeeded` can still become `failed`: the bank may send the money back later. */
            status: components["schemas"]["RefundStatus"];
            reason: components["schemas"]["RefundReason"] | null;
            reference: string | null;
            /** @description Set when `failed`; new values may appear. */
            failureCode: string | null;
            failureMessage: string | null;
            metadata: {
                [key: string]: unknown;
            };
            environment: components["schemas"]["Environment"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            succeededAt: string | null;
            /** Format: date-time */
            failedAt: string | null;
        };
        RefundResponse: {
            data: components["schemas"]["Refund"];
        };
        RefundPage: {
            data: components["schemas"]["Refund"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @enum {string} */
        DisputeStatus: "needsResponse" | "underReview" | "won" | "lost";
        /** @enum {string} */
        DisputeStage: "inquiry" | "chargeback" | "preArbitration";
        /** @enum {string} */
        DisputeResolution: "decided" | "accepted" | "withdrawn";
        /**
         * @description A customer’s dispute of a payment, opened by the network.
         * @example {
         *       "id": "5b0f1a52-7c1e-8f3a-a2b4-90c1de23f456",
         *       "paymentId": "01931c5e-8a6f-7b3c-9d41-2f6e5a7c8b90",
         *       "amountCents": 2500,
         *       "currency": "USD",
         *       "reason": "fraudulent",
         *       "stage": "chargeback",
         *       "status": "needsResponse",
         *       "resolution": null,
         *       "evidence": {},
         *       "evidenceDueAt": "2026-03-09T12:00:00.000Z",
         *       "submittedAt": null,
         *       "autoSubmit": true,
         *       "environment": "sandbox",
         *       "createdAt": "2026-03-02T12:00:00.000Z",
         *       "closedAt": null
         *     }
         */
        Dispute: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            paymentId: string;
            amountCents: number;
            /** @constant */
            currency: "USD";
            /** @description The reason as the network names it; new values may appear. */
            reason: string;
            stage: components["schemas"]["DisputeStage"];
            status: components["schemas"]["DisputeStatus"];
            /** @description How it was closed; null while open. A withdrawn dispute is `won`. */
            resolution: components["schemas"]["DisputeResolution"] | null;
            /** @description As staged; empty in webhooks. */
            evidence: {
                [key: string]: string;
            };
            /** Format: date-time */
            evidenceDueAt: string;
            /** Format: date-time */
            submittedAt: string | null;
            autoSubmit: boolean;
            environment: components["schemas"]["Environment"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            closedAt: string | null;
        };
        DisputePage: {
            data: components["schemas"]["Dispute"][];
            meta: components["schemas"]["ListMeta"];
        };
        DisputeCursorPage: {
            data: components["schemas"]["Dispute"][];
            meta: components["schemas"]["CursorMeta"];
        };
        DisputeList: components["schemas"]["DisputePage"] | components["schemas"]["DisputeCursorPage"];
        DisputeResponse: {
            data: components["schemas"]["Dispute"];
        };
        /**
         * @description Evidence to stage. The texts may also be given at the top level, without `evidence`.
         * @example {
         *       "evidence": {
         *         "customerCommunication": "The customer wrote on 3 May that the parcel arrived."
         *       }
         *     }
         */
        StageEvidence: {
            /** @description Texts by name, replacing what was staged; at most 150000 characters in all. */
            evidence: {
                [key: string]: string;
            };
            /** @description Submit the staged evidence one hour before the deadline. */
            autoSubmit?: boolean;
        };
        SubmitEvidence: Record<string, never>;
        AcceptDispute: Record<string, never>;
        /** @enum {string} */
        MovementType: "captured" | "late" | "refunded" | "refund_failed" | "disputed" | "dispute_won" | "dispute_lost" | "fee" | "payout";
        /** @description A movement of money. It never changes. */
        Movement: {
            /** Format: uuid */
            id: string;
            /** @description `late`: taken after the checkout or the attempt was over. `refund_failed`: a refund came back. `disputed`: withdrawn; `dispute_won`: returned; `dispute_lost`: gone for good (0 where it was withdrawn before). `payout`: paid out to the bank. */
            type: components["schemas"]["MovementType"];
            /** @description Negative: it took money from you. */
            amountCents: number;
            currency: string;
            /**
             * Format: date-time
             * @description When the money moved, as the provider says where it does.
             */
            occurredAt: string;
            /**
             * Format: date-time
             * @description The instant it is counted under: `occurredAt`, or when it was noticed if its month was closed by then.
             */
            bookedAt: string;
            /**
             * Format: date
             * @description The day of `bookedAt` in your time zone.
             */
            bookedOn: string;
            /** Format: uuid */
            paymentId: string | null;
            /** Format: uuid */
            refundId: string | null;
            /** Format: uuid */
            disputeId: string | null;
            method: components["schemas"]["PaymentMethod"] | null;
            /** @description What the provider calls it, or the key under which it is found there. */
            providerReference: string | null;
            /**
             * Format: uuid
             * @description The movement it undoes or continues.
             */
            followsFrom: string | null;
            environment: components["schemas"]["Environment"];
        };
        MovementCursorPage: {
            data: components["schemas"]["Movement"][];
            meta: components["schemas"]["CursorMeta"];
        };
        /** @enum {string} */
        EndpointStatus: "enabled" | "disabled";
        /** @description Where events of one environment are delivered. */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            /** Format: uri */
            url: string;
            description: string | null;
            /** @description Types or groups; null for all. */
            events: string[] | null;
            status: components["schemas"]["EndpointStatus"];
            disabledReason: string | null;
            /** Format: date-time */
            failingSince: string | null;
            /** Format: date-time */
            previousSecretExpiresAt: string | null;
            environment: components["schemas"]["Environment"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        WebhookEndpointPage: {
            data: components["schemas"]["WebhookEndpoint"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @example payment.paid
         * @example payment.*
         */
        EventFilter: string;
        CreateWebhookEndpoint: {
            url: components["schemas"]["HttpsUrl"];
            events?: components["schemas"]["EventFilter"][] | null;
            description?: string | null;
        };
        /** @description A webhook endpoint with its new signing secret. */
        WebhookEndpointWithSecret: components["schemas"]["WebhookEndpoint"] & {
            /** @description Shown only once. Verify every delivery with it. */
            secret: string;
        };
        WebhookEndpointWithSecretResponse: {
            data: components["schemas"]["WebhookEndpointWithSecret"];
        };
        WebhookEndpointResponse: {
            data: components["schemas"]["WebhookEndpoint"];
        };
        ChangeWebhookEndpoint: {
            url?: components["schemas"]["HttpsUrl"];
            events?: components["schemas"]["EventFilter"][] | null;
            description?: string | null;
            status?: components["schemas"]["EndpointStatus"];
        };
        /** @description The id of a deleted endpoint. */
        DeletedEndpoint: {
            /** Format: uuid */
            id: string;
            /** @constant */
            deleted: true;
        };
        DeletedEndpointResponse: {
            data: components["schemas"]["DeletedEndpoint"];
        };
        EventResponse: {
            data: components["schemas"]["Event"];
        };
        /** @enum {string} */
        DeliveryStatus: "pending" | "delivered" | "failed" | "canceled";
        /** @description The delivery of one event to one endpoint, with its latest tries. */
        Delivery: {
            eventId: components["schemas"]["EventId"];
            /** Format: uuid */
            endpointId: string;
            type: string;
            status: components["schemas"]["DeliveryStatus"];
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            nextAttemptAt: string | null;
            /** Format: date-time */
            deliveredAt: string | null;
            attemptCount: number;
            attempts: {
                attemptNo: number;
                at: string;
                durationMs: number;
                statusCode: number | null;
                error: string | null;
                responseExcerpt: string | null;
            }[];
        };
        DeliveryCursorPage: {
            data: components["schemas"]["Delivery"][];
            meta: components["schemas"]["CursorMeta"];
        };
        ReplayEvents: {
            since: components["schemas"]["UtcInstant"];
            until?: components["schemas"]["UtcInstant"];
            types?: components["schemas"]["EventFilter"][];
            /** @enum {string} */
            status: "failed" | "all";
            dryRun?: boolean;
        };
        /** @description A range of events that is sent again. */
        Replay: {
            id: string | null;
            /** Format: uuid */
            endpointId: string;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
            matched: number;
            dryRun: boolean;
        };
        ReplayResponse: {
            data: components["schemas"]["Replay"];
        };
        EventCursorPage: {
            data: components["schemas"]["Event"][];
            meta: components["schemas"]["CursorMeta"];
        };
        RedeliverEvent: {
            /** Format: uuid */
            endpointId?: string;
        };
        /** @description Where an event is sent again. */
        Redelivery: {
            eventId: components["schemas"]["EventId"];
            endpointIds: string[];
        };
        RedeliveryResponse: {
            data: components["schemas"]["Redelivery"];
        };
        /** @description A call of the API, without what was sent or answered. */
        ApiRequest: {
            /**
             * Format: uuid
             * @description Its `Request-Id`.
             */
            id: string;
            /** Format: date-time */
            at: string;
            method: string;
            /** @description With `{id}` for ids; empty: none of the API. */
            path: string;
            status: number;
            errorCode: string | null;
            durationMs: number;
        };
        ApiRequestCursorPage: {
            data: components["schemas"]["ApiRequest"][];
            meta: components["schemas"]["CursorMeta"];
        };
        /** @description The end of the audit log. */
        AuditHead: {
            /** @description Number of the last entry; 0: there is none. */
            sequence: number;
            /** @description SHA-256 of the last entry with the hash before it. */
            hash: string;
            /** @description Ed25519, base64, of `card-payments audit entry`, a line feed and `hash`. */
            signature: string | null;
            /**
             * Format: date-time
             * @description When it was written.
             */
            at: string | null;
            /** @description Verifies signatures; 32 bytes, base64. */
            publicKey: string | null;
        };
        AuditHeadResponse: {
            data: components["schemas"]["AuditHead"];
        };
        /** @description How the checkout of one environment looks. */
        Branding: {
            displayName: string | null;
            /** @description Any color as `#rrggbb`. */
            accent: string | null;
            supportEmail: string | null;
            /** Format: uri */
            supportUrl: string | null;
            /** Format: uri */
            termsUrl: string | null;
            /** Format: uri */
            privacyUrl: string | null;
            statementDescriptor: string | null;
            logo: components["schemas"]["BrandingLogo"] | null;
            darkLogo: components["schemas"]["BrandingLogo"] | null;
        };
        /** @description A logo as it is served. */
        BrandingLogo: {
            /** Format: uri */
            url: string;
            /** @enum {string} */
            contentType: "image/png" | "image/svg+xml";
            width: number;
            height: number;
        };
        BrandingResponse: {
            data: components["schemas"]["Branding"];
        };
        LogoFile: string;
        ChangeBranding: {
            displayName?: string | null;
            accent?: string | null;
            supportEmail?: string | null;
            supportUrl?: components["schemas"]["HttpsUrl"] | null;
            termsUrl?: components["schemas"]["HttpsUrl"] | null;
            privacyUrl?: components["schemas"]["HttpsUrl"] | null;
            statementDescriptor?: (string & (unknown & unknown)) | null;
            logo?: components["schemas"]["LogoFile"] | null;
            darkLogo?: components["schemas"]["LogoFile"] | null;
        };
        /** @description Whether there was anything to clear. */
        ClearedBranding: {
            cleared: boolean;
        };
        ClearedBrandingResponse: {
            data: components["schemas"]["ClearedBranding"];
        };
        /** @description The outcome of the attempt that is under way, or of one made in the customer’s place. */
        SandboxOutcome: {
            /**
             * @description `unexpectedCapture`: the network takes the money of the latest attempt, which failed.
             * @enum {string}
             */
            outcome: "paid" | "failed" | "requiresAction" | "processing" | "unexpectedCapture";
            method?: components["schemas"]["PaymentMethod"];
            /** @description With `failed`. Without a code, or with a final one, the payment fails permanently. */
            failureCode?: string;
            afterSeconds?: number;
        };
        /** @description What the customer does with the challenge. */
        SandboxChallenge: {
            /** @enum {string} */
            result: "authenticated" | "failed" | "abandoned";
        };
        /** @description Moves the deadlines of one payment nearer. */
        SandboxClock: {
            bySeconds: number;
        };
        /** @description A dispute the customer opens. */
        SandboxDispute: {
            reason: string;
            stage?: components["schemas"]["DisputeStage"];
            amountCents?: number;
            dueInSeconds?: number;
        };
        /** @description How the network decides a dispute. */
        SandboxResolve: {
            /**
             * @description `escalated`: the dispute goes to its next stage, and asks for evidence again.
             * @enum {string}
             */
            outcome: "won" | "lost" | "withdrawn" | "escalated";
        };
        /** @description What becomes of a refund. */
        SandboxRefund: {
            /** @enum {string} */
            outcome: "succeeded" | "failed";
            failureCode?: string;
        };
        /** @enum {string} */
        FaultMode: "timeout" | "lostResponse" | "error" | "slow";
        /** @enum {string} */
        NetworkFaultMode: "timeout" | "lostResponse" | "error" | "slow" | "duplicateCallback" | "lateSuccess";
        /** @description A fault in the next calls to one dependency. */
        SandboxFault: components["schemas"]["VaultFault"] | components["schemas"]["NetworkFault"] | components["schemas"]["WebhookFault"];
        /** @description A fault in the next calls to the vault. */
        VaultFault: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            target: "vault";
            mode: components["schemas"]["FaultMode"];
            /** @description Default: `1`. */
            count?: number;
            /** Format: uuid */
            paymentId?: string;
        };
        /** @description A fault in the next calls to the network. */
        NetworkFault: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            target: "network";
            mode: components["schemas"]["NetworkFaultMode"];
            /** @description Default: `1`. */
            count?: number;
            /** Format: uuid */
            paymentId?: string;
        };
        /** @description A fault in the next calls to the webhook. */
        WebhookFault: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            target: "webhook";
            mode: components["schemas"]["FaultMode"];
            /** @description Default: `1`. */
            count?: number;
            /** Format: uuid */
            paymentId?: string;
        };
        /** @enum {string} */
        FaultTarget: "vault" | "network" | "webhook";
        /**
         * @description The fault that was injected into the next calls.
         * @example {
         *       "target": "network",
         *       "mode": "lostResponse",
         *       "count": 1,
         *       "paymentId": null
         *     }
         */
        SandboxFaultOrdered: {
            target: components["schemas"]["FaultTarget"];
            mode: components["schemas"]["NetworkFaultMode"];
            count: number;
            /** Format: uuid */
            paymentId: string | null;
        };
        SandboxFaultOrderedResponse: {
            data: components["schemas"]["SandboxFaultOrdered"];
        };
        /** @description What every event has, whatever its type. */
        EventEnvelope: {
            id: components["schemas"]["EventId"];
            /** Format: date-time */
            timestamp: string;
            /** @constant */
            apiVersion: "v1";
            environment: components["schemas"]["Environment"];
            /** @description Rises by one per payment; 0 for an event of no payment. */
            sequence: number;
            previousStatus: string | null;
        };
        /** @description The payment that was paid, without its checkout URL. */
        PaidPaymentData: components["schemas"]["Payment"] & {
            /** @description True when the money was taken after the checkout had closed. */
            late?: boolean;
        };
        /** @description Money that the network took and no paid attempt has. */
        UnexpectedCapture: {
            /** @description The attempt whose key the network charged. */
            attemptNo: number;
            amountCents: number;
            currency: string;
            /** @description The id of the charge at the network. */
            providerReference: string;
            /** Format: date-time */
            capturedAt: string | null;
        };
        /** @description The payment, unchanged, with the capture. */
        UnexpectedCaptureData: components["schemas"]["Payment"] & {
            unexpectedCapture: components["schemas"]["UnexpectedCapture"];
        };
        /** @description The endpoint that was tested. */
        TestEventData: {
            /** Format: uuid */
            endpointId: string;
        };
        /** @description Pays are refused, because too many cards were declined. */
        CardTesting: {
            /**
             * @description What had too many declines.
             * @enum {string}
             */
            dimension: "merchant" | "key" | "address" | "bin" | "card";
            /** @description The id of the key, or the BIN; null for the others. */
            subject: string | null;
            /** Format: date-time */
            since: string;
        };
        PaymentPendingEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.pending";
            data: components["schemas"]["Payment"];
        };
        PaymentRequiresActionEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.requiresAction";
            data: components["schemas"]["Payment"];
        };
        PaymentPaidEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.paid";
            data: components["schemas"]["PaidPaymentData"];
        };
        PaymentFailedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.failed";
            data: components["schemas"]["Payment"];
        };
        PaymentRefundedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.refunded";
            data: components["schemas"]["Payment"];
        };
        PaymentPartiallyRefundedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.partiallyRefunded";
            data: components["schemas"]["Payment"];
        };
        PaymentDisputedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.disputed";
            data: components["schemas"]["Payment"];
        };
        PaymentDisputeWonEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.disputeWon";
            data: components["schemas"]["Payment"];
        };
        PaymentDisputeLostEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.disputeLost";
            data: components["schemas"]["Payment"];
        };
        PaymentUnexpectedCaptureEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "payment.unexpectedCapture";
            data: components["schemas"]["UnexpectedCaptureData"];
        };
        RefundCreatedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "refund.created";
            data: components["schemas"]["Refund"];
        };
        RefundSucceededEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "refund.succeeded";
            data: components["schemas"]["Refund"];
        };
        RefundFailedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "refund.failed";
            data: components["schemas"]["Refund"];
        };
        RefundCanceledEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "refund.canceled";
            data: components["schemas"]["Refund"];
        };
        DisputeCreatedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.created";
            data: components["schemas"]["Dispute"];
        };
        DisputeUpdatedEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.updated";
            data: components["schemas"]["Dispute"];
        };
        DisputeUnderReviewEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.underReview";
            data: components["schemas"]["Dispute"];
        };
        DisputeWonEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.won";
            data: components["schemas"]["Dispute"];
        };
        DisputeLostEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.lost";
            data: components["schemas"]["Dispute"];
        };
        DisputeWithdrawnEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.withdrawn";
            data: components["schemas"]["Dispute"];
        };
        DisputeEvidenceDueSoonEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "dispute.evidenceDueSoon";
            data: components["schemas"]["Dispute"];
        };
        RiskCardTestingEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "risk.cardTesting";
            data: components["schemas"]["CardTesting"];
        };
        EndpointTestEvent: components["schemas"]["EventEnvelope"] & {
            /** @constant */
            type: "endpoint.test";
            data: components["schemas"]["TestEventData"];
        };
    };
    responses: {
        /** @description Success. */
        Checkout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["CheckoutResponse"];
            };
        };
        /** @description Success. */
        AttemptResult: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["AttemptResultResponse"];
            };
        };
        /** @description Success. */
        PaymentLink: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentLinkResponse"];
            };
        };
        /** @description Success. */
        RefundForKeyed: {
            headers: {
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RefundResponse"];
            };
        };
        /** @description Success. */
        RefundPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RefundPage"];
            };
        };
        /** @description Success. */
        Refund: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["RefundResponse"];
            };
        };
        /** @description Success. */
        DisputeList: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DisputeList"];
            };
        };
        /** @description Success. */
        Dispute: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DisputeResponse"];
            };
        };
        /** @description Success. */
        DisputeForKeyed: {
            headers: {
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DisputeResponse"];
            };
        };
        /** @description Success. */
        WebhookEndpointWithSecret: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookEndpointWithSecretResponse"];
            };
        };
        /** @description Success. */
        WebhookEndpoint: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookEndpointResponse"];
            };
        };
        /** @description Success. */
        Event: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EventResponse"];
            };
        };
        /** @description Success. */
        Branding: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["BrandingResponse"];
            };
        };
        /** @description Success. */
        PaymentForKeyed: {
            headers: {
                "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentResponse"];
            };
        };
        /** @description `invalid_request`. */
        InvalidRequest: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `unauthorized`. */
        Unauthorized: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "WWW-Authenticate": components["headers"]["WwwAuthenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `insufficient_scope`, `address_not_allowed`. */
        Forbidden: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`. */
        CreatePaymentConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `validation_failed`. */
        ValidationFailed: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`. */
        RateLimited: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable`. */
        UnavailableForKeyed: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `invalid_request`, `invalid_query`. */
        BadRequest: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable`. */
        Unavailable: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `not_found`. */
        NotFound: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `payment_in_progress`, `action_required`, `result_pending`. */
        PrepareCaptureConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `checkout_expired`, `attempts_exhausted`. */
        Gone: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `card_token_rejected`. */
        CardTokenRejected: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `rate_limited`, `too_many_declines`. */
        PayTooManyRequests: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `service_unavailable`. */
        UnavailableForAttempt: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `confirmation_in_progress`, `confirmation_not_required`, `result_pending`. */
        ConfirmConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `insufficient_scope`, `address_not_allowed`, `cap_reached`. */
        CreateRefundForbidden: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `payment_not_refundable`. */
        CreateRefundConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `refund_not_cancelable`. */
        RefundNotCancelable: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `evidence_already_submitted`, `dispute_closed`, `evidence_past_due`. */
        StageEvidenceConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `evidence_already_submitted`, `dispute_closed`, `evidence_past_due`. */
        SubmitEvidenceConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `sandbox_not_applicable`, `payment_in_progress`, `action_required`, `result_pending`, `confirmation_in_progress`, `confirmation_not_required`. */
        OrderOutcomeConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `sandbox_not_applicable`, `confirmation_in_progress`, `confirmation_not_required`, `result_pending`. */
        AnswerChallengeConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `sandbox_not_applicable`. */
        AdvanceClockConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `idempotency_in_progress`, `idempotency_key_reused`, `sandbox_not_applicable`, `dispute_closed`. */
        ResolveDisputeConflict: {
            headers: {
                Recovery: components["headers"]["Recovery"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Received. Answer at once and do the work afterwards. After any other answer the event is sent again later. */
        Received: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
    };
    parameters: {
        IdempotencyKey: string;
        Status: components["schemas"]["PaymentStatus"];
        From: string;
        To: string;
        Page: number;
        PerPage: number;
        Id: string;
        WaitSeconds: number;
        Limit: number;
        Cursor: string;
        PaymentId: string;
        DueBefore: string;
    };
    requestBodies: never;
    headers: {
        /** @description What to do next; `x-recovery` names the words of each answer. */
        Recovery: "read_status" | "retry_same_key" | "retry_later" | "ask_customer" | "new_payment" | "fix_request" | "none";
        /** @description `true` when an earlier answer is repeated. */
        IdempotentReplayed: string;
        /** @description Always `Bearer`. */
        WwwAuthenticate: string;
        /** @description Whole seconds to wait. */
        RetryAfter: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPayments: {
        parameters: {
            query?: {
                status?: components["parameters"]["Status"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePayment"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreationResultResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["CreatePaymentConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    retrievePayment: {
        parameters: {
            query?: {
                waitSeconds?: components["parameters"]["WaitSeconds"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    prepareCapture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Checkout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["PrepareCaptureConflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveCheckout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Checkout"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    pay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Pay"];
            };
        };
        responses: {
            200: components["responses"]["AttemptResult"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["PrepareCaptureConflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["CardTokenRejected"];
            429: components["responses"]["PayTooManyRequests"];
            503: components["responses"]["UnavailableForAttempt"];
        };
    };
    confirm: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Confirm"];
            };
        };
        responses: {
            200: components["responses"]["AttemptResult"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ConfirmConflict"];
            410: components["responses"]["Gone"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForAttempt"];
        };
    };
    retrieveStatus: {
        parameters: {
            query?: {
                waitSeconds?: components["parameters"]["WaitSeconds"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckoutStateResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveTimeline: {
        parameters: {
            query?: {
                at?: components["schemas"]["Instant"];
                requests?: "true" | "false";
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelineResponse"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchPayments: {
        parameters: {
            query?: {
                q?: string;
                reference?: string;
                email?: string;
                customerName?: string;
                last4?: string;
                method?: components["schemas"]["PaymentMethod"];
                status?: components["parameters"]["Status"];
                checkoutStatus?: components["schemas"]["CheckoutStatus"];
                amountFrom?: number;
                amountTo?: number;
                from?: string;
                to?: string;
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentCursorPage"];
                    "text/csv": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPaymentLinks: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createPaymentLink: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreatePaymentLink"];
            };
        };
        responses: {
            /** @description Success. */
            201: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentLinkResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["CreatePaymentConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    retrievePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PaymentLink"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePaymentLink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangePaymentLink"];
            };
        };
        responses: {
            200: components["responses"]["PaymentLink"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRefundsOfPayment: {
        parameters: {
            query?: {
                status?: components["schemas"]["RefundStatus"];
                paymentId?: components["parameters"]["PaymentId"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundPage"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createRefund: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateRefund"];
            };
        };
        responses: {
            201: components["responses"]["RefundForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["CreateRefundForbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["CreateRefundConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    listRefunds: {
        parameters: {
            query?: {
                status?: components["schemas"]["RefundStatus"];
                paymentId?: components["parameters"]["PaymentId"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["RefundPage"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Refund"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    cancelRefund: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Refund"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["RefundNotCancelable"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDisputes: {
        parameters: {
            query?: {
                status?: components["schemas"]["DisputeStatus"];
                paymentId?: components["parameters"]["PaymentId"];
                dueBefore?: components["parameters"]["DueBefore"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DisputeList"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDisputesOfPayment: {
        parameters: {
            query?: {
                status?: components["schemas"]["DisputeStatus"];
                paymentId?: components["parameters"]["PaymentId"];
                dueBefore?: components["parameters"]["DueBefore"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DisputeList"];
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveDispute: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Dispute"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    stageEvidence: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StageEvidence"];
            };
        };
        responses: {
            200: components["responses"]["Dispute"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["StageEvidenceConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    submitEvidence: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SubmitEvidence"];
            };
        };
        responses: {
            200: components["responses"]["DisputeForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SubmitEvidenceConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    acceptDispute: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AcceptDispute"];
            };
        };
        responses: {
            200: components["responses"]["DisputeForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["SubmitEvidenceConflict"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    listMovements: {
        parameters: {
            query?: {
                type?: components["schemas"]["MovementType"];
                paymentId?: components["parameters"]["PaymentId"];
                from?: string;
                to?: string;
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MovementCursorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                page?: components["parameters"]["Page"];
                perPage?: components["parameters"]["PerPage"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpoint"];
            };
        };
        responses: {
            201: components["responses"]["WebhookEndpointWithSecret"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEndpointResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhookEndpoint"];
            };
        };
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpointWithSecret"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: components["responses"]["Event"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                status?: components["schemas"]["DeliveryStatus"];
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryCursorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayEvents"];
            };
        };
        responses: {
            /** @description Success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                type?: components["schemas"]["EventFilter"] | "endpoint.test";
                paymentId?: components["parameters"]["PaymentId"];
                afterSequence?: number;
                after?: components["schemas"]["EventId"] | "start";
                from?: components["parameters"]["From"];
                to?: components["parameters"]["To"];
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventCursorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Event"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    redeliverEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RedeliverEvent"];
            };
        };
        responses: {
            /** @description Success. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeliveryResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRequests: {
        parameters: {
            query?: {
                limit?: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiRequestCursorPage"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveAuditHead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditHeadResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    retrieveBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Branding"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    clearBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedBrandingResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeBranding: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBranding"];
            };
        };
        responses: {
            200: components["responses"]["Branding"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["Unavailable"];
        };
    };
    orderOutcome: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxOutcome"];
            };
        };
        responses: {
            200: components["responses"]["PaymentForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["OrderOutcomeConflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    answerChallenge: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxChallenge"];
            };
        };
        responses: {
            200: components["responses"]["PaymentForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AnswerChallengeConflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    advanceClock: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxClock"];
            };
        };
        responses: {
            200: components["responses"]["PaymentForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AdvanceClockConflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    openDispute: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxDispute"];
            };
        };
        responses: {
            201: components["responses"]["DisputeForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AdvanceClockConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    resolveDispute: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxResolve"];
            };
        };
        responses: {
            200: components["responses"]["DisputeForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["ResolveDisputeConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    settleRefund: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxRefund"];
            };
        };
        responses: {
            200: components["responses"]["RefundForKeyed"];
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AdvanceClockConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    orderFault: {
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SandboxFault"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxFaultOrderedResponse"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["AdvanceClockConflict"];
            422: components["responses"]["ValidationFailed"];
            429: components["responses"]["RateLimited"];
            503: components["responses"]["UnavailableForKeyed"];
        };
    };
    onPaymentPending: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentPendingEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentRequiresAction: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRequiresActionEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentPaid: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentPaidEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentFailedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentRefunded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentRefundedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentPartiallyRefunded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentPartiallyRefundedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentDisputed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentDisputedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentDisputeWon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentDisputeWonEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentDisputeLost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentDisputeLostEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onPaymentUnexpectedCapture: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentUnexpectedCaptureEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onRefundCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundCreatedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onRefundSucceeded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundSucceededEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onRefundFailed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundFailedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onRefundCanceled: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefundCanceledEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeCreated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeCreatedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeUpdated: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeUpdatedEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeUnderReview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeUnderReviewEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeWon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeWonEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeLost: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeLostEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeWithdrawn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeWithdrawnEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onDisputeEvidenceDueSoon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DisputeEvidenceDueSoonEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onRiskCardTesting: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RiskCardTestingEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
    onEndpointTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointTestEvent"];
            };
        };
        responses: {
            "2XX": components["responses"]["Received"];
        };
    };
}
