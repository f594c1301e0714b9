<?php
require 'client/vendor/autoload.php';

use Burnish\Api\UploadsApi;
use Burnish\Configuration;
use Burnish\Model\CreateSignedUpload;

$http = new GuzzleHttp\Client();
$config = (new Configuration())->setHost(getenv('BURNISH'))->setApiKey('x-api-key', getenv('KEY'));
$uploads = new UploadsApi($http, $config);
$photo = file_get_contents('photo.jpg');
$file = ['filename' => 'photo.jpg', 'mimetype' => 'image/jpeg', 'filesize' => strlen($photo)];
$order = new CreateSignedUpload([...$file, 'enhancements' => [['upscalingFactor' => 'X2']]]);
$signed = $uploads->createSignedUpload($order);
$http->put($signed->getUploadUrl(), ['headers' => ['Content-Type' => 'image/jpeg'], 'body' => $photo]);
$uploads->completeSignedUpload($signed->getId());
do {
    usleep(500_000);
    $result = $uploads->getUpload($signed->getId())->getEnhancements()[0];
} while (in_array($result->getStatus(), ['QUEUED', 'PROCESSING']));
echo $result->getFullUrl(), "\n";
