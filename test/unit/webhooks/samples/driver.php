<?php

require $argv[2];

$results = [];
foreach (json_decode(file_get_contents($argv[1]), true) as $case) {
    try {
        $event = verify_webhook($case['secret'], $case['headers'], $case['body']);
        $results[] = $event['id'];
    } catch (InvalidArgumentException) {
        $results[] = null;
    }
}
echo json_encode($results);
